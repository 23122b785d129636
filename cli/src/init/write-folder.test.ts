import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { callSvc } from '../testing/call-svc.ts';
import { databaseSecretOf, PROGRAMS } from './folder-layout.ts';
import { rolesSql } from './roles-sql.ts';

function newRoot(): string {
  const root = mkdtempSync(path.join(tmpdir(), 'svc-init-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  return root;
}
const OPTIONS = ['--public', 'https://pay.example.com', '--image', 'svc-pay:1', '--network', 'base-sepolia'];
const SELF = `${process.getuid?.()}:${process.getgid?.()}`;
const init = (folder: string) => callSvc({}, 'init', folder, ...OPTIONS, '--relayers', '0', '--owner', SELF);
const modeOf = (file: string) => statSync(file).mode & 0o777;

test.each([
  ['a file', 'passwd'],
  ['a folder with a name of ours', 'archive/old'],
])('a folder that is not ours and holds %s is refused, and stays as it was', async (_, name) => {
  const root = newRoot();
  mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
  writeFileSync(path.join(root, name), '');
  chmodSync(root, 0o755);
  const { exitCode, stderr } = await init(root);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('none of an installation')]);
  expect(modeOf(root)).toBe(0o755);
  expect(readdirSync(root)).toEqual([name.split('/')[0]]);
});

test('an empty folder, the root of a volume and what an early end left behind are written into', async () => {
  for (const name of ['.', 'lost+found', 'secrets']) {
    const root = newRoot();
    mkdirSync(path.join(root, name), { recursive: true });
    expect(await init(root), name).toMatchObject({ exitCode: 0 });
  }
});

test('folders above are made as the machine makes folders', async () => {
  const root = newRoot();
  const usual = path.join(root, 'usual');
  mkdirSync(usual);
  const folder = path.join(root, 'above', 'svc-pay');
  await init(folder);
  expect(modeOf(path.dirname(folder))).toBe(modeOf(usual));
  expect(modeOf(folder)).toBe(0o700);
});

test('what a run that was ended left half-written is removed, and nothing else', async () => {
  const root = newRoot();
  const stale = ['secrets/key-pepper', 'relayers/evm-1.json'].map((name) => `${name}.${'0a'.repeat(8)}.staging`);
  await init(root);
  for (const name of [...stale, 'secrets/mine.staging']) writeFileSync(path.join(root, name), 'half');
  expect(await init(root)).toMatchObject({ exitCode: 0 });
  const left = readdirSync(root, { recursive: true }).filter((name) => String(name).endsWith('.staging'));
  expect(left).toEqual(['secrets/mine.staging']);
});

test('an empty secret is an error, also before the folder is complete', async () => {
  const root = newRoot();
  mkdirSync(path.join(root, 'secrets'));
  writeFileSync(path.join(root, 'secrets/key-pepper'), '\n');
  const { exitCode, stderr } = await init(root);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('secrets/key-pepper is empty')]);
  expect(existsSync(path.join(root, 'api.env'))).toBe(false);
});

test('a password that its address escapes is the password of the role', () => {
  const url = `postgres://svc_pay_api:${encodeURIComponent('p@ss/word')}@db:5432/svc_pay`;
  const sql = rolesSql(new Map(PROGRAMS.map((program) => [databaseSecretOf(program), url])));
  const [, salt = '', stored] = /SCRAM-SHA-256\$4096:([^$]+)\$([^:]+):/.exec(sql) ?? [];
  const salted = pbkdf2Sync('p@ss/word', Buffer.from(salt, 'base64'), 4_096, 32, 'sha256');
  const clientKey = createHmac('sha256', salted).update('Client Key').digest();
  expect(stored).toBe(createHash('sha256').update(clientKey).digest('base64'));
});
