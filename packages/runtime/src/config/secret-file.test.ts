import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { base64Bytes, optional, readSettings, secret, text } from './index.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'svc-secret-'));
afterAll(() => rmSync(folder, { recursive: true }));
const fileOf = (name: string, content: string | Buffer, mode = 0o600) => {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  chmodSync(file, mode);
  return file;
};
const group = {
  pepper: secret(base64Bytes({ name: 'SVC_PEPPER', about: 'Peppers keys.' }, 32)),
  feed: optional(text({ name: 'SVC_FEED', about: 'Prices.' })),
};
const pepper = Buffer.alloc(32, 7).toString('base64');
const read = (environment: Record<string, string>) => readSettings(group, environment);

test('a secret is read from its file, without the end of the line', () => {
  const SVC_PEPPER_FILE = fileOf('good', `${pepper}\r\n`);
  expect(read({ SVC_PEPPER_FILE })).toEqual({ ok: true, values: { pepper: Buffer.alloc(32, 7) } });
});

test('a setting that is no secret has no file', () => {
  const result = read({ SVC_PEPPER: pepper, SVC_FEED_FILE: fileOf('feed', 'x') });
  expect(result).toEqual({ ok: true, values: { pepper: Buffer.alloc(32, 7) } });
});

test.each([
  ['readable by its group', () => fileOf('group', pepper, 0o640), 'not only its owner may use: run `chmod 600`'],
  ['readable by all', () => fileOf('all', pepper, 0o604), 'not only its owner may use'],
  ['writable by its group', () => fileOf('write', pepper, 0o620), 'not only its owner may use'],
  ['not there', () => path.join(folder, 'canary'), 'does not exist: create it, or let `npm run svc -- init`'],
  ['a folder', () => folder, 'is not a file'],
  ['a device', () => '/dev/null', 'is not a file'],
  ['empty', () => fileOf('empty', '\n'), 'empty file'],
  ['too long', () => fileOf('long', Buffer.alloc(65_537, 'a')), 'more than 65536 bytes'],
])('a file that is %s is refused by the name of the variable', (_, make, said) => {
  const result = read({ SVC_PEPPER_FILE: make() });
  expect(result).toEqual({ ok: false, problems: [expect.stringMatching(/^SVC_PEPPER_FILE names /)] });
  expect(JSON.stringify(result)).toContain(said);
  expect(JSON.stringify(result)).not.toMatch(/canary|svc-secret/);
});

test('content that does not fit is not repeated, and both variables are one too many', () => {
  const SVC_PEPPER_FILE = fileOf('unfit', 'canary');
  expect(read({ SVC_PEPPER_FILE })).toEqual({
    ok: false,
    problems: ['SVC_PEPPER_FILE must hold base64 of at least 32 bytes'],
  });
  expect(read({ SVC_PEPPER: pepper, SVC_PEPPER_FILE })).toEqual({
    ok: false,
    problems: ['SVC_PEPPER and SVC_PEPPER_FILE are both given; one is enough'],
  });
});

test('systemd guards the files of its own folder, and no file beside it', () => {
  const SVC_PEPPER_FILE = fileOf('credential', pepper, 0o440);
  expect(read({ SVC_PEPPER_FILE, CREDENTIALS_DIRECTORY: folder })).toMatchObject({ ok: true });
  expect(read({ SVC_PEPPER_FILE, CREDENTIALS_DIRECTORY: `${folder}/other` })).toMatchObject({ ok: false });
  expect(read({ SVC_PEPPER_FILE, CREDENTIALS_DIRECTORY: '' })).toMatchObject({ ok: false });
});
