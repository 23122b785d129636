// Files of the page, as they were built. Names in `assets/` have the hash of their content and never change; every other path is
// index.html, which the page's own router reads.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
};
const HASHED = '/assets/';
/** Packed already. */
const NOT_PACKED = new Set(['.png', '.woff2', '.ico']);

type PageFile = {
  readonly type: string;
  readonly plain: Buffer;
  readonly packed: Buffer | undefined;
  readonly caching: string;
};

export type ConsoleFiles = {
  /** `pathname` begins with a slash. Undefined for a file that there is not; a path without an ending is a page. */
  readonly find: (pathname: string) => PageFile | undefined;
};

/** Reads the folder once. Without it there is no page, and every path is unknown. */
export function loadPageFiles(folder: string): ConsoleFiles {
  const files = new Map(listed(folder).map((name) => [`/${name}`, fileOf(folder, name)]));
  return {
    find: (pathname) => files.get(pathname) ?? (path.extname(pathname) === '' ? files.get('/index.html') : undefined),
  };
}

function listed(folder: string): readonly string[] {
  const names =
    statSync(folder, { throwIfNoEntry: false }) === undefined ? [] : readdirSync(folder, { recursive: true });
  return names
    .map((name) => name.toString().split(path.sep).join('/'))
    .filter((name) => TYPES[path.extname(name)] !== undefined && !path.basename(name).startsWith('.'));
}

function fileOf(folder: string, name: string): PageFile {
  const ending = path.extname(name);
  const plain = readFileSync(path.join(folder, name));
  return {
    type: TYPES[ending] ?? 'application/octet-stream',
    plain,
    packed: NOT_PACKED.has(ending) ? undefined : gzipSync(plain),
    caching: `/${name}`.startsWith(HASHED) ? 'public, max-age=31536000, immutable' : 'no-cache',
  };
}
