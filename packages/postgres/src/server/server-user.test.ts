import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { canReach, serverUser } from './server-user.ts';

const stranger = { name: 'stranger', uid: 65_533, gid: 65_533 };
const closed = await mkdtemp(path.join(tmpdir(), 'svc-pay-closed-'));
afterAll(() => rm(closed, { recursive: true }));

test('a folder is out of reach while any folder above it is closed', async () => {
  const inside = path.join(closed, 'open/to/all');
  await mkdir(inside, { recursive: true });
  expect(canReach(stranger, inside)).toBe(false);
  await chmod(closed, 0o711);
  expect(canReach(stranger, inside)).toBe(true);
});

test('the server never runs as root', () => {
  expect(serverUser()?.uid).not.toBe(0);
});
