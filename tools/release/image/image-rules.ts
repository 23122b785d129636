// What the image must not hold. The release is refused when one of these is broken, whatever brought the file in.
import { holdsPrivateKey, holdsTestKey } from '../private-keys.ts';
import type { Lock } from './installed-packages.ts';
import type { TarEntry } from './tar.ts';

/** Programs with which whoever breaks into a process could go on. */
const SHELL = /(?:^|\/)s?bin\/(?:ash|bash|busybox|curl|dash|env|ksh|ld\.so|npm|npx|perl|python[\d.]*|sh|wget|zsh)$/;
const TEST_FILE = /^app\/(?!.*node_modules\/).*(?:^|\/)(?:testing|tests?)\/|\.test\.[cm]?[jt]s$/;
const LARGEST_SCANNED_BYTES = 20_000_000;

export function imageProblems(entries: readonly TarEntry[], lock: Lock): string[] {
  const development = new Set(
    Object.entries(lock.packages).flatMap(([location, { dev }]) => (dev === true ? [`app/${location}/`] : [])),
  );
  return entries.flatMap((entry) => {
    const { path } = entry;
    const problems: string[] = [];
    if (SHELL.test(path)) problems.push(`${path} is a shell or a tool`);
    if (TEST_FILE.test(path)) problems.push(`${path} is a test`);
    if (packageFolders(path).some((folder) => development.has(folder)))
      problems.push(`${path} belongs to a development dependency`);
    if (entry.kind === 'file' && holdsKey(path, entry.data)) problems.push(`${path} holds a private key`);
    return problems;
  });
}

/** `app/node_modules/a/node_modules/b/c.js`: the folders of a and of b. */
function packageFolders(path: string): string[] {
  return [...path.matchAll(/node_modules\/(?:@[^/]+\/)?[^/]+\//g)].map((match) =>
    path.slice(0, match.index + match[0].length),
  );
}

function holdsKey(path: string, data: Buffer): boolean {
  if (data.length > LARGEST_SCANNED_BYTES) return false;
  const text = data.toString('latin1');
  return holdsPrivateKey(text) || (!path.includes('node_modules/') && holdsTestKey(text));
}
