// Writes an export to a file, page by page. Beside the file lies `<file>.cursor`: where the export stands and how long the file
// was then. A run that was killed goes on from there, and a run after the end appends what was booked since.
import { constants, type FileHandle, open, readFile, rename, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  EXPORT_PIECE_ROWS,
  type ExportAsk,
  type ExportCursor,
  type ExportFormat,
  type ExportKind,
  type ExportRefusal,
  type ExportStore,
  exportHead,
  exportLines,
  LEDGER_START,
  type LedgerOwner,
  printExportCursor,
  readExportCursor,
  readExportPage,
  restAfter,
} from '@svc-pay/core';

export type ExportFileOrder = LedgerOwner & {
  readonly kind: ExportKind;
  readonly format: ExportFormat;
  readonly file: string;
  /** Called after each page, with the rows that this run has written. */
  readonly onPage: (bookings: number) => void;
};

export type ExportFileResult =
  | { readonly ok: true; readonly bookings: number; readonly bytes: number; readonly resumed: boolean }
  | { readonly ok: false; readonly reason: ExportFileRefusal };

type ExportFileRefusal = ExportRefusal['reason'] | 'other_export' | 'file_shorter' | 'mark_unreadable';

type Mark = { readonly of: string; readonly cursor: string; readonly bytes: number };

/** Rows have payers and metadata: only the user who runs the command reads them. */
const OWN = 0o600;
const BUSY_PAUSE_MS = 250;
const BUSY_TRIES = 40;

export async function exportToFile(store: ExportStore, order: ExportFileOrder): Promise<ExportFileResult> {
  const { accountId, mode, kind, format, file } = order;
  const of = `${kind} ${format} ${accountId} ${mode}`;
  const mark = await readMark(`${file}.cursor`);
  if (mark === 'unreadable') return { ok: false, reason: 'mark_unreadable' };
  if (mark !== undefined && mark.of !== of) return { ok: false, reason: 'other_export' };
  let cursor = mark === undefined ? START : readExportCursor(mark.cursor);
  if (cursor === undefined) return { ok: false, reason: 'mark_unreadable' };
  let bytes = mark?.bytes ?? 0;
  const handle = mark === undefined ? await beginFile(file, of) : await openFile(file, bytes);
  try {
    if ((await handle.stat()).size < bytes) return { ok: false, reason: 'file_shorter' };
    await handle.truncate(bytes);
    if (bytes === 0) bytes += await append(handle, bytes, exportHead(kind, format));
    for (let bookings = 0; ; ) {
      const page = await readPatiently(store, { accountId, mode, kind, cursor, limit: EXPORT_PIECE_ROWS });
      if (!page.ok) return page;
      const isReadMs = performance.now();
      const text = page.bookings.map((booking) => exportLines(kind, format, booking)).join('');
      bytes += await append(handle, bytes, text);
      await handle.sync();
      cursor = page.next;
      await writeMark(`${file}.cursor`, { of, cursor: printExportCursor(cursor), bytes });
      bookings += page.bookings.length;
      order.onPage(bookings);
      if (!page.hasMore) return { ok: true, bookings, bytes, resumed: mark !== undefined };
      await sleep(restAfter(page.readMs + performance.now() - isReadMs));
    }
  } finally {
    await handle.close();
  }
}

const START: ExportCursor = { after: LEDGER_START, watermark: undefined };

/**
 * The mark comes before the file, so that a run that is killed at any moment goes on. A file that is not this command's is never
 * overwritten: without a mark it must not exist.
 */
async function beginFile(file: string, of: string): Promise<FileHandle> {
  await refuseExisting(file);
  await writeMark(`${file}.cursor`, { of, cursor: printExportCursor(START), bytes: 0 });
  try {
    return await open(file, 'wx', OWN);
  } catch (problem) {
    await rm(`${file}.cursor`);
    throw problem;
  }
}

/** A run that was killed between its first mark and its file has left no file. */
const openFile = (file: string, bytes: number): Promise<FileHandle> =>
  open(file, bytes === 0 ? constants.O_RDWR | constants.O_CREAT : 'r+', OWN);

async function refuseExisting(file: string): Promise<void> {
  try {
    await (await open(file, 'r')).close();
  } catch (problem) {
    if ((problem as { code?: unknown }).code === 'ENOENT') return;
    throw problem;
  }
  throw Object.assign(new Error(`${file} exists`), { code: 'EEXIST' });
}

async function append(handle: FileHandle, at: number, text: string): Promise<number> {
  if (text === '') return 0;
  const bytes = Buffer.from(text);
  let written = 0;
  while (written < bytes.length) {
    written += (await handle.write(bytes, written, bytes.length - written, at + written)).bytesWritten;
  }
  return written;
}

async function readPatiently(store: ExportStore, ask: ExportAsk) {
  for (let tries = 1; ; tries += 1) {
    const page = await readExportPage(store, ask);
    if (page.ok || page.reason !== 'busy' || tries === BUSY_TRIES) return page;
    await sleep(BUSY_PAUSE_MS);
  }
}

async function readMark(file: string): Promise<Mark | 'unreadable' | undefined> {
  try {
    const mark = JSON.parse(await readFile(file, 'utf8')) as Partial<Mark> | null;
    const { of, cursor, bytes = -1 } = mark ?? {};
    const isMark = typeof of === 'string' && typeof cursor === 'string' && Number.isSafeInteger(bytes) && bytes >= 0;
    return isMark ? { of, cursor, bytes } : 'unreadable';
  } catch (problem) {
    if ((problem as { code?: unknown }).code === 'ENOENT') return undefined;
    if (problem instanceof SyntaxError) return 'unreadable';
    throw problem;
  }
}

/** On disk before it takes the place of the mark before. */
async function writeMark(file: string, mark: Mark): Promise<void> {
  const handle = await open(`${file}.new`, 'w', OWN);
  try {
    await handle.writeFile(`${JSON.stringify(mark)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${file}.new`, file);
}
