import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makeLibraryLinks } from './binaries.ts';

const home = await mkdtemp(path.join(tmpdir(), 'svc-pay-links-'));
afterAll(() => rm(home, { recursive: true }));

test('missing library links are made, by any number of starts at once', async () => {
  await mkdir(path.join(home, 'native/lib'), { recursive: true });
  await writeFile(path.join(home, 'native/lib/libpq.so.5.18'), 'a library');
  await writeFile(
    path.join(home, 'native/pg-symlinks.json'),
    JSON.stringify([
      { source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so' },
      { source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' },
    ]),
  );

  await Promise.all(Array.from({ length: 8 }, () => makeLibraryLinks(home)));

  expect(await readdir(path.join(home, 'native/lib'))).toEqual(['libpq.so', 'libpq.so.5', 'libpq.so.5.18']);
  expect(await readFile(path.join(home, 'native/lib/libpq.so.5'), 'utf8')).toBe('a library');
});
