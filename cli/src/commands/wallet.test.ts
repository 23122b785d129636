import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { typedDataSigner } from '@svc-pay/evm';
import { afterAll, expect, test } from 'vitest';
import { askSvc, callSvc } from '../testing/call-svc.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'svc-wallet-'));
afterAll(() => rmSync(folder, { recursive: true }));
const fileOf = (name: string) => path.join(folder, name);
const keyIn = (file: string) => readFileSync(file, 'utf8').trim() as `0x${string}`;

test('a new key is in a file that only its owner reads, and the command prints the address alone', async () => {
  const file = fileOf('council.key');
  const { exitCode, stdout, stderr } = await callSvc({}, 'wallet', 'create', file);
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(stdout).toBe(`${typedDataSigner(keyIn(file)).address}\n`);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('two keys differ, and the document has no key', async () => {
  const [first, second] = [fileOf('a.key'), fileOf('b.key')];
  const { document } = await askSvc({}, 'wallet', 'create', first);
  await askSvc({}, 'wallet', 'create', second);
  expect(keyIn(first)).not.toBe(keyIn(second));
  expect(document).toEqual({ address: typedDataSigner(keyIn(first)).address, file: first });
});

test('a file that exists keeps its key', async () => {
  const file = fileOf('kept.key');
  await callSvc({}, 'wallet', 'create', file);
  const before = keyIn(file);
  const { exitCode, stdout, stderr } = await callSvc({}, 'wallet', 'create', file);
  expect([exitCode, stdout]).toEqual([1, '']);
  expect(stderr).toContain('exists already');
  expect(keyIn(file)).toBe(before);
});

test('a folder that does not exist is named, and no address is printed', async () => {
  const { exitCode, stdout, stderr } = await callSvc({}, 'wallet', 'create', fileOf('nowhere/x.key'));
  expect([exitCode, stdout]).toEqual([1, '']);
  expect(stderr).toContain('can’t be written');
});
