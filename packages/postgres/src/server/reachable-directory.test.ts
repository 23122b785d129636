import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { reachableDirectory } from './reachable-directory.ts';

test('a directory that the server can reach is used as it is; one that is closed to it is replaced, always by the same', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-reach-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const wanted = path.join(folder, 'dev', 'postgres');
  chmodSync(folder, 0o755);
  expect(reachableDirectory(wanted)).toBe(wanted);
  chmodSync(folder, 0o700);
  const closed = reachableDirectory(wanted);
  onTestFinished(() => rmSync(path.dirname(closed), { recursive: true, force: true }));
  const asRoot = process.getuid?.() === 0;
  expect(closed === wanted).toBe(!asRoot);
  expect(reachableDirectory(wanted)).toBe(closed);
});
