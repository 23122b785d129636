import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { reachableDirectory } from './reachable-directory.ts';

const stranger = { name: 'stranger', uid: 65_533, gid: 65_533 };
const folder = await mkdtemp(path.join(tmpdir(), 'svc-pay-way-'));
afterAll(() => rm(folder, { recursive: true }));
const preferred = path.join(folder, 'not/made/yet');

test('a directory that the server may enter is taken as it is', async () => {
  await chmod(folder, 0o711);
  expect(reachableDirectory(preferred, stranger)).toBe(preferred);
  expect(reachableDirectory('/nowhere', undefined)).toBe('/nowhere');
});

test('behind a closed folder another is taken, the same one every time', async () => {
  await chmod(folder, 0o700);
  const instead = reachableDirectory(preferred, stranger);
  expect(path.dirname(instead)).toBe(tmpdir());
  expect(reachableDirectory(preferred, stranger)).toBe(instead);
  expect(reachableDirectory(`${preferred}-other`, stranger)).not.toBe(instead);
});
