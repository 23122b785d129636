import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readTar, type TarEntry, writeTar } from './tar.ts';

const file = (path: string, text = 'x', executable = false): TarEntry => ({
  path,
  kind: 'file',
  data: Buffer.from(text),
  executable,
});
const LONG_PATH = `${'folder/'.repeat(20)}file.txt`;

test('GNU tar lists what was written: folders, long names, links, modes, and neither user nor time of this machine', () => {
  const archive = writeTar(
    [file(LONG_PATH), file('bin/run', '#!', true), { path: 'lib', kind: 'link', target: 'bin' }],
    ['tmp'],
  );
  const listed = execFileSync('tar', ['-tvf', '-', '--utc', '--full-time'], { input: archive, encoding: 'utf8' });
  expect(listed).toContain(LONG_PATH);
  expect(listed).toMatch(/^-rwxr-xr-x 0\/0 +2 1970-01-01 00:00:00 bin\/run$/m);
  expect(listed).toMatch(/^lrwxrwxrwx 0\/0 .* lib -> bin$/m);
  expect(listed).toMatch(/^drwxrwxrwt 0\/0 .* tmp\/$/m);
});

test('what GNU tar writes is read back, in its own format and in pax', () => {
  for (const format of ['gnu', 'pax']) {
    const script = `mkdir -p "$1/$(dirname "$2")" && printf x > "$1/$2" && ln -s "$2" "$1/link" && tar --format="$3" -C "$1" -c .`;
    const folder = mkdtempSync(path.join(tmpdir(), 'tar-'));
    const archive = execFileSync('sh', ['-c', script, 'sh', folder, LONG_PATH, format]);
    rmSync(folder, { recursive: true });
    const found = readTar(archive).sort((a, b) => (a.path < b.path ? -1 : 1));
    expect(found).toEqual([file(LONG_PATH), { path: 'link', kind: 'link', target: LONG_PATH }]);
  }
});

test('the order of the entries does not change the bytes, and one path twice is refused', () => {
  expect(writeTar([file('b'), file('a')])).toEqual(writeTar([file('a'), file('b')]));
  expect(() => writeTar([file('a'), file('a', 'y')])).toThrow('same path');
});

test('a path that leaves the archive is refused', () => {
  expect(() => readTar(writeTar([file('a/../../b')]))).toThrow('may not leave its root');
});
