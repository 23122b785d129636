import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, createPublicKey, verify } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fingerprintOf, openSigningKey, signFiles, throwAwayKey } from './sign-files.ts';

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

function writeRelease(release: string): void {
  const statement = '{"_type":"statement"}\n';
  writeFileSync(path.join(release, 'x.provenance.json'), statement);
  const sha256 = createHash('sha256').update(statement).digest('hex');
  writeFileSync(path.join(release, 'SHA256SUMS'), `${sha256}  x.provenance.json\n`);
}

test('openssl makes the key and checks the sums; a changed sum is refused', () => {
  const opened = openSigningKey(makeKey('ed25519'));
  if (!opened.ok) throw new Error(opened.problem);
  const release = path.join(folder, 'release');
  mkdirSync(release);
  writeRelease(release);
  const added = ['SHA256SUMS.sig', 'x.provenance.intoto.jsonl'];
  expect(signFiles(release, opened.key)).toEqual({ ok: true, files: added });
  // A key beside the files would check whatever its owner put there.
  expect(readdirSync(release).toSorted()).toEqual(['SHA256SUMS', 'x.provenance.json', ...added].toSorted());

  openssl('pkey', '-in', 'key.pem', '-pubout', '-out', 'release-key.pem');
  const der = openssl('pkey', '-pubin', '-in', 'release-key.pem', '-outform', 'DER');
  expect(fingerprintOf(opened.key)).toBe(createHash('sha256').update(der).digest('hex'));
  const check = ['pkeyutl', '-verify', '-pubin', '-inkey', '../release-key.pem', '-rawin', '-in', 'SHA256SUMS'];
  const checked = () => spawnSync('openssl', [...check, '-sigfile', 'SHA256SUMS.sig'], { cwd: release }).status;
  expect(checked()).toBe(0);

  const envelope = JSON.parse(readFileSync(path.join(release, 'x.provenance.intoto.jsonl'), 'utf8'));
  const payload = Buffer.from(envelope.payload, 'base64');
  const signed = Buffer.concat([Buffer.from(`DSSEv1 28 application/vnd.in-toto+json ${payload.length} `), payload]);
  const publicKey = createPublicKey(readFileSync(path.join(folder, 'release-key.pem')));
  expect(verify(null, signed, publicKey, Buffer.from(envelope.signatures[0].sig, 'base64'))).toBe(true);

  appendFileSync(path.join(release, 'SHA256SUMS'), 'bb  other\n');
  expect(checked()).not.toBe(0);
});

test('files that changed since they were built, or that the sums do not name, are not signed', () => {
  const key = throwAwayKey();
  expect(signFiles(folder, key)).toEqual({ ok: false, problems: [expect.stringContaining('has no SHA256SUMS')] });
  writeRelease(folder);
  expect(signFiles(folder, key)).toMatchObject({ ok: true });
  writeFileSync(path.join(folder, 'late.tgz'), 'x');
  appendFileSync(path.join(folder, 'x.provenance.json'), ' ');
  expect(signFiles(folder, key)).toEqual({
    ok: false,
    problems: ['late.tgz is not named in SHA256SUMS', 'x.provenance.json is not what SHA256SUMS says'],
  });
});

test('the process that signs loads no package of others', () => {
  const tool = path.join(import.meta.dirname, 'main.ts');
  // Resolves every import of a package to an error; `--sign` fails later, at the folder that is no checkout.
  const hook = `import { registerHooks } from 'node:module';
    registerHooks({ resolve: (name, context, next) => {
      if (!/^(?:[./]|node:|file:)/.test(name)) throw new Error('loads ' + name);
      return next(name, context); } });`;
  const key = makeKey('ed25519');
  const argv = ['--import', `data:text/javascript,${encodeURIComponent(hook)}`, tool, '--sign', '--key', key];
  const ran = spawnSync(process.execPath, argv, { cwd: folder, encoding: 'utf8' });
  expect(ran.stderr).toContain('not a git repository');
  expect(ran.stderr).not.toContain('loads ');
  const dry = spawnSync(process.execPath, [...argv.slice(0, 3), '--dry'], { cwd: folder, encoding: 'utf8' });
  expect(dry.stderr).toContain('loads ');
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
