// Reads and writes tar archives. Written archives have no times, no users and one order, so that the same entries are the
// same bytes.

export type TarEntry =
  | { readonly path: string; readonly kind: 'file'; readonly data: Buffer; readonly executable: boolean }
  | { readonly path: string; readonly kind: 'link'; readonly target: string };

const BLOCK = 512;
const NAME_BYTES = 100;

/** Files and symbolic links. Folders are left out: `writeTar` derives them. Anything else, such as a device, throws. */
export function readTar(archive: Buffer): TarEntry[] {
  const entries: TarEntry[] = [];
  let long: { path?: string; target?: string } = {};
  for (let at = 0; at + BLOCK <= archive.length; ) {
    const header = archive.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) break;
    const size = Number.parseInt(text(header, 124, 12).trim() || '0', 8);
    const data = archive.subarray(at + BLOCK, at + BLOCK + size);
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    const type = text(header, 156, 1);
    if (type === 'x') long = { ...long, ...paxNames(data) };
    else if (type === 'L') long.path = text(data, 0, data.length);
    else if (type === 'K') long.target = text(data, 0, data.length);
    else if (type !== 'g') {
      const path = plain(long.path ?? ustarPath(header));
      if (type === '2') entries.push({ path, kind: 'link', target: long.target ?? text(header, 157, NAME_BYTES) });
      else if (type === '0' || type === '')
        entries.push({ path, kind: 'file', data, executable: (mode(header) & 0o100) !== 0 });
      else if (type !== '5') throw new Error(`${path}: an archive may hold files and symbolic links, not type ${type}`);
      long = {};
    }
  }
  return entries;
}

/** `./usr/lib` is `usr/lib`. A path that leaves its root throws. */
function plain(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw new Error(`${path}: a path of an archive may not leave its root`);
  return parts.join('/');
}

const text = (bytes: Buffer, from: number, length: number) => {
  const field = bytes.subarray(from, from + length);
  const end = field.indexOf(0);
  return field.subarray(0, end === -1 ? length : end).toString('utf8');
};
const mode = (header: Buffer) => Number.parseInt(text(header, 100, 8).trim() || '0', 8);

function ustarPath(header: Buffer): string {
  const prefix = text(header, 257, 5) === 'ustar' && text(header, 257, 8) !== 'ustar  ' ? text(header, 345, 155) : '';
  return prefix === '' ? text(header, 0, NAME_BYTES) : `${prefix}/${text(header, 0, NAME_BYTES)}`;
}

function paxNames(data: Buffer): { path?: string; target?: string } {
  const names: { path?: string; target?: string } = {};
  for (let at = 0; at < data.length; ) {
    const space = data.indexOf(0x20, at);
    const length = Number(data.subarray(at, space).toString());
    const [key = '', value = ''] = data
      .subarray(space + 1, at + length - 1)
      .toString('utf8')
      .split(/=(.*)/s);
    if (key === 'path') names.path = value;
    if (key === 'linkpath') names.target = value;
    at += length;
  }
  return names;
}

/** Folders first, then by path. Of two entries with one path the archive would hold both, so they throw. */
export function writeTar(entries: readonly TarEntry[], emptyFolders: readonly string[] = []): Buffer {
  const byPath = new Map(entries.map((entry) => [entry.path, entry]));
  if (byPath.size !== entries.length) throw new Error('two entries of an archive have the same path');
  const folders = new Set(emptyFolders);
  for (const path of [...byPath.keys(), ...emptyFolders])
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
      folders.add(path.slice(0, end));
  const blocks: Buffer[] = [];
  for (const folder of [...folders].filter((path) => !byPath.has(path)).sort())
    blocks.push(...member(`${folder}/`, '5', Buffer.alloc(0), { mode: folder === 'tmp' ? 0o1777 : 0o755 }));
  for (const path of [...byPath.keys()].sort()) {
    const entry = byPath.get(path);
    if (entry?.kind === 'link')
      blocks.push(...member(path, '2', Buffer.alloc(0), { mode: 0o777, target: entry.target }));
    if (entry?.kind === 'file')
      blocks.push(...member(path, '0', entry.data, { mode: entry.executable ? 0o755 : 0o644 }));
  }
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

type MemberOptions = { readonly mode: number; readonly target?: string };

function member(path: string, type: string, data: Buffer, { mode: bits, target = '' }: MemberOptions): Buffer[] {
  const pax = [
    ...(Buffer.byteLength(path) > NAME_BYTES ? [paxRecord('path', path)] : []),
    ...(Buffer.byteLength(target) > NAME_BYTES ? [paxRecord('linkpath', target)] : []),
  ];
  const extended = pax.length > 0 ? member('pax', 'x', Buffer.from(pax.join('')), { mode: 0o644 }) : [];
  const header = Buffer.alloc(BLOCK);
  Buffer.from(path).copy(header, 0, 0, NAME_BYTES);
  const octal = (value: number, at: number, length: number) =>
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1');
  octal(bits, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(data.length, 124, 12);
  octal(0, 136, 12);
  header.write(type, 156, 'latin1');
  Buffer.from(target).copy(header, 157, 0, NAME_BYTES);
  header.write('ustar\x0000', 257, 'latin1');
  header.fill(' ', 148, 156, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return [...extended, header, data, Buffer.alloc((BLOCK - (data.length % BLOCK)) % BLOCK)];
}

/** `<length> key=value\n`, where the length counts its own digits. */
function paxRecord(key: string, value: string): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + String(rest).length;
  if (String(length).length !== String(rest).length) length = rest + String(length).length;
  return `${length} ${key}=${value}\n`;
}
