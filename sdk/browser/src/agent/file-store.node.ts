// The record of payments in a folder. Every change is a new file, `book-<number>.json`, and the highest number counts. A file
// gets its name by `link`, which fails when the name exists: of two processes that start from the same book one wins, and the
// other starts again from the winner's. There is no lock that a crash could leave behind, and a process that was asleep
// can't write over what others did meanwhile.
import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { systemNowMs } from '../clock.ts';
import { type BookChange, EMPTY_BOOK, type SpendBook } from './spend-book.ts';
import type { SpendStore } from './spend-store.ts';

/** One version of the book. `parent` is the id of the version that it was made from. */
type StoredBook = { readonly id: string; readonly parent: string | null; readonly book: SpendBook };
type Version = { readonly number: number; readonly stored: StoredBook | undefined };

/** Older versions are removed. Some stay, so that a slow listing still meets names that are taken. */
const KEPT_VERSIONS = 16;
const MAX_TRIES = 1_000;
const MAX_PAUSE_MS = 20;
const FORGOTTEN_MS = 3_600_000;

/** The folder is created, for its owner alone: it holds signed payments. It needs a file system with hard links. */
export function fileSpendStore(folder: string): SpendStore {
  let turn: Promise<unknown> = Promise.resolve();
  return {
    // Changes of one process go one after another: they would only take each other's number.
    update(change) {
      const next = turn.then(() => updateFolder(folder, change));
      turn = next.catch(() => undefined);
      return next;
    },
  };
}

async function updateFolder<Result>(folder: string, change: (book: SpendBook) => BookChange<Result>): Promise<Result> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const newest = await newestVersion(folder);
    if (newest !== undefined) {
      const before = newest.stored?.book ?? EMPTY_BOOK;
      const { book, result } = change(before);
      if (book === before) return result;
      if (await commit(folder, newest, book)) return result;
    }
    await pause(Math.random() * MAX_PAUSE_MS);
  }
  throw new Error(`${folder} is changed by others all the time`);
}

/** Undefined when the version was removed while it was looked for: there is a newer one. */
async function newestVersion(folder: string): Promise<Version | undefined> {
  const number = Math.max(0, ...(await versionsIn(folder)));
  if (number === 0) return { number, stored: undefined };
  const stored = await readVersion(folder, number);
  return stored === undefined ? undefined : { number, stored };
}

async function versionsIn(folder: string): Promise<readonly number[]> {
  try {
    const names = await readdir(folder);
    return names.flatMap((name) => {
      const [, digits] = /^book-(\d{1,15})\.json$/.exec(name) ?? [];
      return digits === undefined ? [] : [Number(digits)];
    });
  } catch (problem) {
    if (codeOf(problem) !== 'ENOENT') throw problem;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return [];
  }
}

/** Throws for a file that is no book: an unreadable record is not an empty one. */
async function readVersion(folder: string, number: number): Promise<StoredBook | undefined> {
  const file = fileOf(folder, number);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (problem) {
    if (codeOf(problem) === 'ENOENT') return undefined;
    throw problem;
  }
  const stored = parsed(text);
  if (stored === undefined) throw new Error(`${file} is no record of payments`);
  return stored;
}

function parsed(text: string): StoredBook | undefined {
  try {
    const stored = JSON.parse(text) as StoredBook;
    const { days, payments, format } = stored.book;
    return format === 1 && typeof days === 'object' && typeof payments === 'object' ? stored : undefined;
  } catch {
    return undefined;
  }
}

/** False when another process was first. */
async function commit(folder: string, base: Version, book: SpendBook): Promise<boolean> {
  const stored: StoredBook = { id: randomUUID(), parent: base.stored?.id ?? null, book };
  const number = base.number + 1;
  const draft = path.join(folder, `draft-${stored.id}`);
  try {
    await writeDurably(draft, JSON.stringify(stored));
    await link(draft, fileOf(folder, number));
  } catch (problem) {
    if (codeOf(problem) === 'EEXIST') return false;
    throw problem;
  } finally {
    await rm(draft, { force: true });
  }
  await syncFolder(folder);
  const newest = Math.max(number, ...(await versionsIn(folder)));
  if (newest > number && !(await isSucceeded(folder, number, stored.id))) return false;
  await removeOld(folder, newest);
  return true;
}

/**
 * Whether the next version was made from this one. If not, this process took a number that had been used and removed
 * before: its base was old, nobody reads what it wrote, and it starts again.
 */
async function isSucceeded(folder: string, number: number, id: string): Promise<boolean> {
  return (await readVersion(folder, number + 1))?.parent === id;
}

async function writeDurably(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The name itself must survive a crash. Windows has no such call, and does not need it. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function removeOld(folder: string, newest: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = path.join(folder, name);
    const [, digits] = /^book-(\d{1,15})\.json$/.exec(name) ?? [];
    const isOld = digits !== undefined && Number(digits) <= newest - KEPT_VERSIONS;
    if (isOld || (name.startsWith('draft-') && (await isForgotten(file)))) await rm(file, { force: true });
  }
}

async function isForgotten(file: string): Promise<boolean> {
  try {
    return systemNowMs() - (await stat(file)).mtimeMs > FORGOTTEN_MS;
  } catch {
    return false;
  }
}

const fileOf = (folder: string, number: number) => path.join(folder, `book-${number}.json`);

const codeOf = (problem: unknown) => (problem as NodeJS.ErrnoException).code;
