// Inputs of the image are taken by hash: whatever a mirror, a cache or a download holds instead is refused.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { programProblems } from './build-image.ts';
import { DEBIAN_PACKAGES } from './debian.ts';
import { type NpmTarball, openInputs, pinnedNode } from './inputs.ts';

const SCRIPT = path.resolve(import.meta.dirname, '../../../.ci/with-node');

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'inputs-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true });
});

function write(file: string, content: string): void {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), content);
}

test('a tarball in the cache and a Debian package on disk with other bytes than their hash are refused', async () => {
  vi.stubEnv('npm_config_cache', path.join(root, 'npm'));
  const tarball: NpmTarball = { name: 'left', version: '3.0.0', sha512: 'ab'.repeat(64) };
  write(`npm/_cacache/content-v2/sha512/ab/ab/${'ab'.repeat(62)}`, 'changed by a stranger');
  for (const { pool } of DEBIAN_PACKAGES) write(`.cache/release-inputs/${path.posix.basename(pool)}`, 'changed too');
  const inputs = await openInputs(root, [tarball]);
  if (!inputs.ok) throw new Error(inputs.problems.join('\n'));
  expect(() => inputs.npm(tarball)).toThrow('its sha512 is not the pinned one');
  for (const deb of DEBIAN_PACKAGES) expect(() => inputs.debian(deb)).toThrow('its sha256 is not the pinned one');
});

test('a mirror that sends other bytes is refused, and nothing of it is kept', async () => {
  const mirror = createServer((_, response) => response.end('other bytes'));
  await new Promise<void>((resolve) => mirror.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void mirror.close());
  vi.stubEnv('DEBIAN_MIRROR', `http://127.0.0.1:${(mirror.address() as AddressInfo).port}/debian`);
  const inputs = await openInputs(root, []);
  const wanted = DEBIAN_PACKAGES.map(({ sha256 }) => expect.stringMatching(`other bytes; put .* ${sha256}`));
  expect(inputs).toEqual({ ok: false, problems: wanted });
  expect(existsSync(path.join(root, '.cache/release-inputs'))).toBe(false);
});

test('a Node whose program has another hash than the pinned one is refused', () => {
  const node = pinnedNode(readFileSync(SCRIPT, 'utf8'));
  const entry = (text: string) =>
    ({ path: 'usr/bin/node', kind: 'file', data: Buffer.from(text), executable: true }) as const;
  const programSha256 = createHash('sha256').update('good').digest('hex');
  expect(programProblems([entry('good')], { ...node, programSha256 })).toEqual([]);
  expect(programProblems([entry('good')], node)).toEqual([expect.stringContaining(node.programSha256)]);
  expect(programProblems([], node)).toEqual([expect.stringContaining('missing')]);
});

test('.ci/with-node runs nothing of a download with another sha512', () => {
  // npm and Node of this test's PATH: npm writes a tarball with a program that leaves a trace, Node is too old.
  write('bin/npm', '#!/bin/sh\nmkdir -p package/bin && printf "#!/bin/sh\\ntouch $TRACE\\n" >package/bin/node\n');
  write('bin/node', '#!/bin/sh\necho 20\n');
  const pack = 'chmod +x package/bin/node && tar -czf n.tgz package && echo n.tgz\n';
  writeFileSync(path.join(root, 'bin/npm'), pack, { flag: 'a' });
  write('.ci/with-node', readFileSync(SCRIPT, 'utf8'));
  for (const file of ['bin/npm', 'bin/node', '.ci/with-node']) chmodSync(path.join(root, file), 0o755);
  const trace = path.join(root, 'trace');
  const env = { PATH: `${path.join(root, 'bin')}:/usr/bin:/bin`, TRACE: trace };
  const ran = spawnSync(path.join(root, '.ci/with-node'), ['node', '--version'], { env, encoding: 'utf8' });
  expect({ status: ran.status, text: ran.stderr }).toEqual({
    status: 69,
    text: expect.stringContaining('is not the pinned build: its sha512 differs'),
  });
  expect(existsSync(trace)).toBe(false);
});
