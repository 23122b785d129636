import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { checkListenQueue } from './check-listen-queue.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'somaxconn-'));
afterAll(() => rmSync(folder, { recursive: true }));

function statusesFor(text: string) {
  const file = path.join(folder, 'somaxconn');
  writeFileSync(file, text);
  return checkListenQueue(file).map(({ status }) => status);
}

test('a short queue of the kernel is worth a look, its default is not', () => {
  expect([statusesFor('128\n'), statusesFor('4095\n')]).toEqual([['warning'], ['warning']]);
  expect([statusesFor('4096\n'), statusesFor('65535\n')]).toEqual([['ok'], ['ok']]);
});

test('a system without that setting is not judged', () => {
  expect(checkListenQueue(path.join(folder, 'none'))).toEqual([]);
});
