// The image of HEAD, built twice from its inputs, and its programs run from its own files: Node, libraries and packages of
// the image, nothing of this checkout.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { buildImage } from '../../tools/release/image/build-image.ts';
import { readTar } from '../../tools/release/image/tar.ts';
import { readOrder } from '../../tools/release/make-files.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

test('the image has the same digest twice, at most 90 MB, and every program starts from its files alone', async ({
  skip,
}) => {
  const order = readOrder(ROOT);
  if (!order.ok) throw new Error(order.problem);
  const first = await buildImage(ROOT, order);
  skip(!first.ok && first.cause === 'inputs', first.ok ? '' : first.problems.join('; '));
  const second = await buildImage(ROOT, order);
  if (!first.ok || !second.ok) throw new Error(JSON.stringify([first, second]));
  expect(second.image.digest).toBe(first.image.digest);
  expect(second.image.archive.equals(first.image.archive)).toBe(true);
  expect(first.image.archive.length).toBeLessThan(90_000_000);

  const root = mkdtempSync(path.join(tmpdir(), 'svc-image-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  unpack(first.image.archive, root);
  const inside = (cwd: string, ...argv: string[]) => {
    const loader = path.join(root, 'lib64/ld-linux-x86-64.so.2');
    const libraries = path.join(root, 'usr/lib/x86_64-linux-gnu');
    const all = ['--library-path', libraries, path.join(root, 'usr/bin/node'), ...argv];
    const ran = spawnSync(loader, all, { cwd: path.join(root, cwd), env: {}, encoding: 'utf8' });
    return { status: ran.status, text: ran.stdout + ran.stderr };
  };
  for (const service of ['api', 'settlement', 'webhooks', 'admin']) {
    const { status, text } = inside('/', path.join(root, `usr/bin/svc-${service}`));
    expect({ service, status, text }).toMatchObject({
      service,
      status: 78,
      text: expect.stringMatching(/SVC_DATABASE_URL/),
    });
  }
  expect(inside('/', path.join(root, 'usr/bin/svc'), '--help').text).toContain('Usage');
  // Packages that a program loads only where they are configured.
  const late = ['@opentelemetry/sdk-trace', '@opentelemetry/exporter-trace-otlp-http', '@opentelemetry/resources'];
  const load = (names: string[]) => `for (const name of ${JSON.stringify(names)}) await import(name);`;
  const run = ['--input-type=module', '--eval'];
  expect(inside('app/services/api', ...run, load(late))).toEqual({ status: 0, text: '' });
  expect(inside('app/packages/chains/evm', ...run, load(['@aws-sdk/client-kms']))).toEqual({ status: 0, text: '' });
  // Node's own: the image has neither certificates nor time zones of Debian.
  const own = `import tls from 'node:tls';
    console.log(tls.rootCertificates.length > 100, new Date(0).toLocaleString('en', { timeZone: 'Asia/Tokyo' }))`;
  expect(inside('/', ...run, own).text).toContain('true 1/1/1970, 9:00:00');
});

function unpack(archive: Buffer, root: string): void {
  const blobs = new Map(readTar(archive).flatMap((entry) => (entry.kind === 'file' ? [[entry.path, entry.data]] : [])));
  const blob = (digest: string) => blobs.get(`blobs/sha256/${digest.replace('sha256:', '')}`) ?? Buffer.alloc(0);
  const index = JSON.parse(blobs.get('index.json')?.toString() ?? '');
  const { layers }: { layers: { digest: string }[] } = JSON.parse(blob(index.manifests[0].digest).toString());
  for (const { digest } of layers)
    execFileSync('tar', ['-x', '-C', root, '--no-same-owner'], { input: zstdDecompressSync(blob(digest)) });
}
