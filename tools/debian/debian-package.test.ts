import { expect, test } from 'vitest';
import { unpackDebian } from './debian-package.ts';

test('a package without a digest for this machine is not fetched, and the reason names it', () => {
  const unpacked = unpackDebian({ name: 'promtool', version: '0.0.0', sha256: {} });
  expect(unpacked).toMatchObject({ ok: false, why: expect.stringContaining('promtool 0.0.0') });
});
