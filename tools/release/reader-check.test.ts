// The command with which docs/operate/image.md tells a reader to check a release, typed literally into a small one.
import { spawnSync } from 'node:child_process';
import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fencesOf } from '../docs/fences.ts';
import { releaseEnvironment } from './config.ts';
import { signFiles, throwAwayKey } from './sign-files.ts';

const PAGE = path.resolve(import.meta.dirname, '../../docs/operate/image.md');
const IMAGE = 'svc-pay-0.1.0-linux-amd64.oci.tar';
const key = throwAwayKey();

let base: string;
let release: string;
beforeEach(() => {
  base = mkdtempSync(path.join(tmpdir(), 'reader-'));
  release = path.join(base, 'release');
  for (const folder of ['release', 'bin', 'svc-pay']) mkdirSync(path.join(base, folder));
  writeFileSync(path.join(base, 'bin/podman'), '#!/bin/sh\necho "podman $*"\n');
  chmodSync(path.join(base, 'bin/podman'), 0o755);
  const pem = createPublicKey(key).export({ type: 'spki', format: 'pem' });
  writeFileSync(path.join(base, 'svc-pay/release-key.pem'), pem);
});
afterEach(() => rmSync(base, { recursive: true }));

function make(image: string, signer: KeyObject): void {
  const files = { [image]: 'the image', 'x.provenance.json': '{}' };
  const sums = Object.entries(files).map(([file, text]) => {
    writeFileSync(path.join(release, file), text);
    return `${createHash('sha256').update(text).digest('hex')}  ${file}\n`;
  });
  writeFileSync(path.join(release, 'SHA256SUMS'), sums.join(''));
  expect(signFiles(release, signer)).toMatchObject({ ok: true });
}

/** What the reader's shell prints; it ends with `podman load …` if everything was accepted. */
function check(): { readonly accepted: boolean; readonly loads: boolean } {
  const [command] = fencesOf(readFileSync(PAGE, 'utf8')).filter(({ body }) => body.startsWith('openssl pkeyutl'));
  const given = releaseEnvironment();
  const env = { ...given, HOME: base, PATH: `${path.join(base, 'bin')}:${given['PATH']}` };
  const ran = spawnSync('bash', ['-c', command?.body ?? 'exit 1'], { cwd: release, env, encoding: 'utf8' });
  return { accepted: ran.status === 0, loads: ran.stdout.includes(`podman load --input ${IMAGE}`) };
}

const REFUSED = { accepted: false, loads: false };

test('a release that the key signed is loaded', () => {
  make(IMAGE, key);
  expect(check()).toEqual({ accepted: true, loads: true });
});

test('a changed image, changed sums and another key load nothing', () => {
  make(IMAGE, key);
  appendFileSync(path.join(release, IMAGE), '!');
  expect(check()).toEqual(REFUSED);
  const sha256 = createHash('sha256').update('the image!').digest('hex');
  writeFileSync(path.join(release, 'SHA256SUMS'), `${sha256}  ${IMAGE}\n`);
  expect(check()).toEqual(REFUSED);
  make(IMAGE, throwAwayKey());
  expect(check()).toEqual(REFUSED);
});

test('a release of another version under the name that the reader wants loads nothing', () => {
  make('svc-pay-0.0.9-linux-amd64.oci.tar', key);
  writeFileSync(path.join(release, IMAGE), 'the image');
  expect(check()).toEqual(REFUSED);
});
