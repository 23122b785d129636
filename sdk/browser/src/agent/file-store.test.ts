import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fileSpendStore } from './file-store.node.ts';
import type { SpendBook } from './spend-book.ts';

function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'agent-store-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return path.join(folder, 'record');
}

/** Counts in the book as an agent does. */
const count = (book: SpendBook) => Number(book.days['2026-11-16']?.['one.example'] ?? '0');
const counted = (book: SpendBook) => ({
  book: { ...book, days: { '2026-11-16': { 'one.example': String(count(book) + 1) } } },
  result: count(book) + 1,
});
const read = (book: SpendBook) => ({ book, result: count(book) });

const PROGRAM = `
import { fileSpendStore } from ${JSON.stringify(new URL('file-store.node.ts', import.meta.url).href)};
const store = fileSpendStore(process.argv[1]);
for (let done = 0; done < Number(process.argv[2]); done += 1) {
  const result = await store.update((book) => {
    const before = Number(book.days['2026-11-16']?.['one.example'] ?? '0');
    return { book: { ...book, days: { '2026-11-16': { 'one.example': String(before + 1) } } }, result: before + 1 };
  });
  console.log(result);
}
`;

/** The numbers that the process printed before it ended. */
async function runCounter(
  folder: string,
  times: number,
  killAfter = Number.POSITIVE_INFINITY,
): Promise<readonly string[]> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, folder, String(times)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
    if (printed.split('\n').length > killAfter) child.kill('SIGKILL');
  });
  await once(child, 'close');
  return printed.split('\n').slice(0, -1);
}

test('what was kept is there after a restart, for its owner alone', async () => {
  const folder = newFolder();
  expect(await fileSpendStore(folder).update(counted)).toBe(1);
  expect(await fileSpendStore(folder).update(read)).toBe(1);
  expect(statSync(folder).mode & 0o077).toBe(0);
  for (const file of readdirSync(folder)) expect(statSync(path.join(folder, file)).mode & 0o077).toBe(0);
});

test('changes of one process at the same time are all kept', async () => {
  const store = fileSpendStore(newFolder());
  await Promise.all(Array.from({ length: 40 }, () => store.update(counted)));
  expect(await store.update(read)).toBe(40);
});

test('processes that share a folder, one of them killed, never build on the same book', async () => {
  const folder = newFolder();
  const printed = await Promise.all([runCounter(folder, 40), runCounter(folder, 40), runCounter(folder, 1_000, 10)]);
  const all = printed.flat();
  expect(new Set(all).size).toBe(all.length);
  // The killed one may have kept a change that it could not print any more.
  const kept = await fileSpendStore(folder).update(read);
  expect(kept - all.length).toBeGreaterThanOrEqual(0);
  expect(kept - all.length).toBeLessThanOrEqual(1);
  expect(readdirSync(folder).filter((name) => name.startsWith('book-')).length).toBeLessThanOrEqual(20);
});

test('a process that slept over many changes of others does not write over them', async () => {
  const folder = newFolder();
  const sleeper = fileSpendStore(folder);
  const others = fileSpendStore(folder);
  await others.update(counted);
  let calls = 0;
  // The sleeper has read the book; forty changes of others take its number and remove it again.
  const slept = sleeper.update((book) => {
    calls += 1;
    if (calls > 1) return counted(book);
    for (let version = 2; version <= 41; version += 1) {
      const stored = { id: `id-${version}`, parent: `id-${version - 1}`, book: counted(book).book };
      const days = { '2026-11-16': { 'one.example': String(version) } };
      writeFileSync(path.join(folder, `book-${version}.json`), JSON.stringify({ ...stored, book: { ...book, days } }));
      if (version < 26) rmSync(path.join(folder, `book-${version}.json`));
    }
    return counted(book);
  });
  expect(await slept).toBe(42);
  expect(await others.update(read)).toBe(42);
  expect(calls).toBe(2);
});

test('a record that can’t be read is an error, not an empty budget', async () => {
  const folder = newFolder();
  await fileSpendStore(folder).update(counted);
  writeFileSync(path.join(folder, 'book-2.json'), '{"id":');
  await expect(fileSpendStore(folder).update(counted)).rejects.toThrow('is no record of payments');
});
