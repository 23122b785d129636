// Where Debian packages are fetched from: what the release machine says, never a committed address.
import { globSync, readFileSync } from 'node:fs';

/** `DEBIAN_MIRROR`, or the mirror in this machine's apt sources. */
export function debianMirror(): string | undefined {
  const given = process.env['DEBIAN_MIRROR'];
  if (given !== undefined && given !== '') return given.replace(/\/$/, '');
  const sources = globSync(['/etc/apt/sources.list', '/etc/apt/sources.list.d/*.{list,sources}']).sort();
  for (const file of sources) {
    const [, found] =
      /^(?:URIs:|deb\s+(?:\[[^\]]*\]\s+)?)\s*(https?:\/\/\S+\/debian)\/?(?:\s|$)/m.exec(readFileSync(file, 'utf8')) ??
      [];
    if (found !== undefined) return found;
  }
  return undefined;
}
