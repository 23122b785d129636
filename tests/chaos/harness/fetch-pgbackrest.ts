// Fetches pgBackRest from the machine's own Debian mirror, by version and digest. Nothing is installed.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const PACKAGE = 'pgbackrest_2.55.1-1_amd64.deb';
const SHA256 = '4143a01dba71c12aab93e67b012b5cb93ec9f80e408080ddbde6261115da381d';
const POOL = `pool/main/p/pgbackrest/${PACKAGE}`;
const SOURCES = '/etc/apt/sources.list.d';

export type FetchedPgbackrest =
  | { readonly ok: true; readonly binary: string }
  | { readonly ok: false; readonly why: string };

/** `cacheFolder` keeps the unpacked program for the next time. */
export function fetchPgbackrest(cacheFolder: string): FetchedPgbackrest {
  const binary = path.join(cacheFolder, SHA256.slice(0, 12), 'usr/bin/pgbackrest');
  if (existsSync(binary)) return { ok: true, binary };
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return { ok: false, why: `no package for ${process.arch}` };
  const mirror = debianMirror();
  if (mirror === undefined) return { ok: false, why: 'this machine has no Debian mirror in its apt sources' };
  mkdirSync(cacheFolder, { recursive: true });
  const file = path.join(cacheFolder, PACKAGE);
  try {
    const bytes = execFileSync('curl', ['-fsSL', '--max-time', '60', `${mirror}/${POOL}`], { maxBuffer: 10 ** 8 });
    const digest = createHash('sha256').update(bytes).digest('hex');
    if (digest !== SHA256) return { ok: false, why: `${PACKAGE} has the digest ${digest}` };
    writeFileSync(file, bytes);
    const staging = path.join(cacheFolder, 'unpacking');
    rmSync(staging, { recursive: true, force: true });
    execFileSync('dpkg', ['-x', file, staging]);
    renameSync(staging, path.join(cacheFolder, SHA256.slice(0, 12)));
    execFileSync(binary, ['version']);
    return { ok: true, binary };
  } catch (problem) {
    return { ok: false, why: (problem as Error).message.split('\n')[0] ?? 'not fetched' };
  } finally {
    rmSync(file, { force: true });
  }
}

/** The first address of the archive itself, not of its security updates. */
function debianMirror(): string | undefined {
  const files = [
    '/etc/apt/sources.list',
    ...(existsSync(SOURCES) ? readdirSync(SOURCES).map((name) => path.join(SOURCES, name)) : []),
  ].filter((file) => existsSync(file));
  const text = files.map((file) => readFileSync(file, 'utf8')).join('\n');
  const lines = text.split('\n').filter((line) => !line.startsWith('#'));
  return /https?:\/\/[^\s]+\/debian(?=[/\s]|$)/m.exec(lines.join('\n'))?.[0];
}
