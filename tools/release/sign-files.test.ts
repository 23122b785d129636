import { execFileSync, spawnSync } from 'node:child_process';
import { createPublicKey, verify } from 'node:crypto';
import { appendFileSync, chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSigningKey, PUBLIC_KEY_FILE, signFiles } from './sign-files.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sign-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const openssl = (...argv: string[]) => execFileSync('openssl', argv, { cwd: folder, stdio: 'pipe' });
const makeKey = (algorithm: string) => {
  openssl('genpkey', '-algorithm', algorithm, '-out', 'key.pem');
  chmodSync(path.join(folder, 'key.pem'), 0o600);
  return path.join(folder, 'key.pem');
};

test('openssl makes the key and checks the sums; a changed sum is refused', () => {
  const opened = openSigningKey(makeKey('ed25519'));
  if (!opened.ok) throw new Error(opened.problem);
  writeFileSync(path.join(folder, 'SHA256SUMS'), 'aa  file\n');
  writeFileSync(path.join(folder, 'x.provenance.json'), '{"_type":"statement"}\n');
  signFiles(folder, 'x.provenance.json', opened.key);
  const check = ['pkeyutl', '-verify', '-pubin', '-inkey', PUBLIC_KEY_FILE, '-rawin', '-in', 'SHA256SUMS'];
  const checked = () => spawnSync('openssl', [...check, '-sigfile', 'SHA256SUMS.sig'], { cwd: folder }).status;
  expect(checked()).toBe(0);

  const envelope = JSON.parse(readFileSync(path.join(folder, 'x.provenance.intoto.jsonl'), 'utf8'));
  const payload = Buffer.from(envelope.payload, 'base64');
  const signed = Buffer.concat([Buffer.from(`DSSEv1 28 application/vnd.in-toto+json ${payload.length} `), payload]);
  const publicKey = createPublicKey(readFileSync(path.join(folder, PUBLIC_KEY_FILE)));
  expect(verify(null, signed, publicKey, Buffer.from(envelope.signatures[0].sig, 'base64'))).toBe(true);

  appendFileSync(path.join(folder, 'SHA256SUMS'), 'bb  other\n');
  expect(checked()).not.toBe(0);
});

test('a key of another kind, a key that others may read and a file without a key are refused', () => {
  const file = makeKey('x25519');
  expect(openSigningKey(file)).toEqual({ ok: false, problem: expect.stringContaining('not ed25519') });
  chmodSync(file, 0o644);
  expect(openSigningKey(file)).toEqual({ ok: false, problem: expect.stringContaining('chmod 600') });
  writeFileSync(file, 'words', { mode: 0o600 });
  chmodSync(file, 0o600);
  expect(openSigningKey(file)).toEqual({ ok: false, problem: expect.stringContaining('no private key') });
});
