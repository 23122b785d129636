// Archives of retired partitions: a folder per retirement with the rows, a line of JSON each, compressed with gzip, and a
// manifest. A folder gets its name when it is complete and on disk, so a folder of that name is always a whole archive.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline as connect, Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';

export type ArchiveColumn = { readonly name: string; readonly type: string };

export type ArchiveManifest = {
  readonly format: 1;
  readonly installation: string;
  /** Name of the archive: the partition and which retirement of it this is. */
  readonly name: string;
  readonly table: string;
  readonly columns: readonly ArchiveColumn[];
  readonly rows: number;
  /** Of the lines, each with its line feed, before compression. */
  readonly sha256: string;
  readonly bytes: number;
  readonly compressedBytes: number;
  readonly writtenAt: string;
};

type ArchivedRows = Pick<ArchiveManifest, 'rows' | 'sha256' | 'bytes'>;

const LINE_FEED = 0x0a;
const ROWS_FILE = 'rows.ndjson.gz';
const MANIFEST_FILE = 'manifest.json';
const PARTIAL = '.partial';
const ARCHIVE_NAME = /^[a-z_]+_\d{4}_\d{2}(?:_\d{2})?\.\d+$/;
/** Archives hold what payers signed: for the user of the process alone. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** A partition may be retired again, when rows came for it later: each time has an archive of its own. */
export const archiveName = (partition: string, number: number): string => `${partition}.${number}`;

type NewArchive = Pick<ArchiveManifest, 'installation' | 'name' | 'table' | 'columns' | 'writtenAt'> & {
  readonly lines: AsyncIterable<string>;
};

/** Writes a whole archive. An error leaves a folder with the suffix `.partial`, which the next call removes. */
export async function writeArchive(
  directory: string,
  { lines, ...head }: NewArchive,
  onStep: (step: string) => void = () => {},
): Promise<ArchiveManifest> {
  const folder = join(directory, head.name);
  const partial = `${folder}${PARTIAL}`;
  const created = await mkdir(directory, { recursive: true, mode: FOLDER_MODE });
  // A folder of a folder that is not on disk yet would be lost with it.
  if (created !== undefined) for (const parent of [dirname(created), dirname(directory)]) await syncFolder(parent);
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { mode: FOLDER_MODE });
  const counted = countLines();
  const packed = createGzip();
  // An error of the source ends the write below with it.
  connect(Readable.from(counted.of(lines)), packed, () => {});
  const file = await open(join(partial, ROWS_FILE), 'wx', FILE_MODE);
  try {
    await writeFile(file, packed);
    onStep('rows written');
    await file.sync();
  } finally {
    await file.close();
  }
  const { size } = await stat(join(partial, ROWS_FILE));
  const manifest: ArchiveManifest = { format: 1, ...head, ...counted.result(), compressedBytes: size };
  await writeDurably(join(partial, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`);
  onStep('manifest written');
  await syncFolder(partial);
  await rename(partial, folder);
  onStep('archive named');
  await syncFolder(directory);
  return manifest;
}

/** Undefined when there is no archive of that name. Throws when its manifest can't be read. */
export async function readManifest(directory: string, name: string): Promise<ArchiveManifest | undefined> {
  if (!(await exists(join(directory, name)))) return undefined;
  return JSON.parse(await readFile(join(directory, name, MANIFEST_FILE), 'utf8')) as ArchiveManifest;
}

/** The lines of an archive, as they were written. */
export async function* readLines(directory: string, name: string): AsyncGenerator<string, void, undefined> {
  const unpacked = createGunzip();
  // An error of the file ends the loop below with it; leaving the loop closes the file.
  connect(createReadStream(join(directory, name, ROWS_FILE)), unpacked, () => {});
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of unpacked as AsyncIterable<Buffer>) {
    let text = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let end = text.indexOf(LINE_FEED); end !== -1; end = text.indexOf(LINE_FEED)) {
      yield text.toString('utf8', 0, end);
      text = text.subarray(end + 1);
    }
    rest = text;
  }
  if (rest.length > 0) throw new Error(`archive ${name} ends within a line`);
}

/** Moves an archive that is damaged or differs from the table aside. It is not deleted: it may be the only copy. */
export async function setAside(directory: string, name: string, suffix: string): Promise<string> {
  const aside = `${name}.differs-${suffix}`;
  await rename(join(directory, name), join(directory, aside));
  await syncFolder(directory);
  return aside;
}

/** Names of complete archives, in order. */
export async function listArchives(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && ARCHIVE_NAME.test(entry.name))
    .map(({ name }) => name)
    .toSorted();
}

/** Counts and hashes lines while they pass, and gives each its line feed. */
export function countLines() {
  const hash = createHash('sha256');
  let [rows, bytes] = [0, 0];
  return {
    of: async function* (lines: AsyncIterable<string>): AsyncGenerator<Buffer, void, undefined> {
      for await (const line of lines) {
        const text = Buffer.from(`${line}\n`);
        hash.update(text);
        rows += 1;
        bytes += text.length;
        yield text;
      }
    },
    result: (): ArchivedRows => ({ rows, sha256: hash.copy().digest('hex'), bytes }),
  };
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (problem) {
    if (problem instanceof Error && 'code' in problem && problem.code === 'ENOENT') return false;
    throw problem;
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', FILE_MODE);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
