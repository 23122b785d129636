// The image of HEAD, built twice from its inputs, and its programs run: from its own files alone, and by podman with a
// read-only root and without capabilities, as docs/operate/image.md tells the operator.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { zstdDecompressSync } from 'node:zlib';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { debianRoot } from '../../tools/containers/debian-root.ts';
import { type PodmanHost, startPodman } from '../../tools/containers/podman-host.ts';
import { thirdPartyImages } from '../../tools/containers/third-party-images.ts';
import { fencesOf } from '../../tools/docs/fences.ts';
import { type BuiltImage, buildImage } from '../../tools/release/image/build-image.ts';
import { readTar } from '../../tools/release/image/tar.ts';
import { readOrder } from '../../tools/release/make-files.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

let image: BuiltImage | undefined;
let version = '';
let missing = '';
beforeAll(async () => {
  const order = readOrder(ROOT);
  if (!order.ok) throw new Error(order.problem);
  ({ version } = order);
  const first = await buildImage(ROOT, order);
  if (!first.ok && first.cause === 'inputs') missing = first.problems.join('; ');
  if (missing !== '') return;
  const second = await buildImage(ROOT, order);
  if (!first.ok || !second.ok) throw new Error(JSON.stringify([first, second]));
  expect(second.image.digest).toBe(first.image.digest);
  expect(second.image.archive.equals(first.image.archive)).toBe(true);
  ({ image } = first);
}, 120_000);

test('the image has the same digest twice, at most 90 MB, and every program starts from its files alone', ({
  skip,
}) => {
  skip(image === undefined, missing);
  if (image === undefined) return;
  expect(image.archive.length).toBeLessThan(90_000_000);
  const files = new Set(image.listing.map((entry) => entry.path));
  expect(files).toContain('app/services/console/assets/generated/index.html');

  const root = mkdtempSync(path.join(tmpdir(), 'svc-image-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  unpack(image.archive, root);
  const inside = (cwd: string, ...argv: string[]) => {
    const loader = path.join(root, 'lib64/ld-linux-x86-64.so.2');
    const libraries = path.join(root, 'usr/lib/x86_64-linux-gnu');
    const all = ['--library-path', libraries, path.join(root, 'usr/bin/node'), ...argv];
    const ran = spawnSync(loader, all, { cwd: path.join(root, cwd), env: {}, encoding: 'utf8' });
    return { status: ran.status, text: ran.stdout + ran.stderr };
  };
  for (const service of ['api', 'settlement', 'webhooks', 'admin', 'console']) {
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

/** A folder that podman's machine sees too. */
function sharedFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-podman-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  return folder;
}

test('podman loads the image and runs its programs: read-only root, no capability, user 65532, stopped in time', async ({
  skip,
}) => {
  skip(image === undefined, missing);
  const root = debianRoot();
  skip(!root.ok, root.ok ? '' : root.why);
  if (image === undefined || !root.ok) return;
  const folder = sharedFolder();
  const host = await startPodman(root.folder, { shared: [folder], imageStore: await thirdPartyImages(root.folder) });
  onTestFinished(() => host.stop());
  const file = `svc-pay-${version}-linux-amd64.oci.tar`;
  writeFileSync(path.join(folder, file), image.archive);
  await host.must(['bash', '-ec', pageLine(/podman load .*/)], { cwd: folder });
  const inspected = await host.must(['podman', 'image', 'inspect', `localhost/svc-pay:${version}`]);
  expect(inspected).toContain(image.digest);
  const run = ['podman', 'run', '--rm', '--read-only', '--cap-drop=all', '--network=svc'];
  const svc = (...argv: string[]) => host.run([...run, `svc-pay:${version}`, ...argv]);
  await host.must(['podman', 'network', 'create', 'svc']);

  expect((await svc('svc', '--help')).stdout).toContain('Usage');
  for (const service of ['svc-api', 'svc-settlement', 'svc-webhooks', 'svc-admin', 'svc-console'])
    expect(await svc(service)).toMatchObject({ exitCode: 78, stderr: expect.stringContaining('SVC_DATABASE_URL') });
  await writesFolder(host, folder, run);
  await startsApi(host, folder);
}, 600_000);

async function writesFolder(host: PodmanHost, folder: string, run: readonly string[]): Promise<void> {
  const made = path.join(folder, 'installation');
  mkdirSync(made);
  await host.must(['chown', '65532:65532', made]);
  const mounted = [...run, '--volume', `${made}:${made}`, `svc-pay:${version}`, 'svc'];
  const choices = ['--network', 'base-sepolia', '--public', 'https://pay.example.com', '--image', `svc-pay:${version}`];
  await host.must([...mounted, 'init', made, ...choices]);
  const listed = await host.must(['stat', '--format', '%a %u %n', 'secrets/key-pepper', 'api.env'], { cwd: made });
  expect(listed).toBe('600 65532 secrets/key-pepper\n600 65532 api.env\n');
  const doctor = await host.run([...mounted, 'doctor', '--folder', made]);
  expect(doctor).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('networks.json') });
}

async function startsApi(host: PodmanHost, folder: string): Promise<void> {
  const secret = path.join(folder, 'password');
  writeFileSync(secret, 'p4ssword', { mode: 0o600 });
  const database = ['--env', 'POSTGRES_DB=svc', '--env', `POSTGRES_PASSWORD_FILE=${secret}`];
  const sql = path.join(folder, 'sql');
  mkdirSync(sql);
  writeFileSync(path.join(sql, 'nothing.sql'), 'select 1;\n');
  const mounts = ['--volume', `${secret}:${secret}`, '--volume', `${sql}:/docker-entrypoint-initdb.d`];
  await host.must([
    'podman',
    'run',
    '--detach',
    '--name=postgres',
    '--network=svc',
    ...database,
    ...mounts,
    'postgres:18',
  ]);
  const settings = [
    'SVC_DATABASE_URL=postgres://postgres:p4ssword@postgres/svc',
    `SVC_KEY_PEPPER=${Buffer.alloc(32, 7).toString('base64')}`,
    'SVC_NETWORKS={}',
    'SVC_API_HOST=0.0.0.0',
  ];
  for (const name of ['command.env', 'api.env']) writeFileSync(path.join(folder, name), `${settings.join('\n')}\n`);
  const inFolder = { cwd: folder };
  const typed = (line: RegExp) => pageLine(line).replace('podman run --rm', 'podman run --rm --network=svc');
  const migrate = ['bash', '-ec', typed(/podman run .* svc migrate/)];
  let migrated = await host.run(migrate, inFolder);
  const isMigrated = async () => {
    migrated = migrated.exitCode === 0 ? migrated : await host.run(migrate, inFolder);
    return migrated.exitCode === 0;
  };
  await until(isMigrated, 60_000, () => migrated.stderr);

  const start = typed(/podman run .* svc-api/).replace('--rm', '--name=api --detach');
  await host.must(['bash', '-ec', start], inFolder);
  const ready = () =>
    fetch(`http://${host.address}:8402/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(ready, 30_000);
  const inside = `const fs = require('node:fs');
    const refused = (act) => { try { act(); return 'no'; } catch (problem) { return problem.code; } };
    const [, capabilities] = /CapEff:\\s*(\\w+)/.exec(fs.readFileSync('/proc/1/status', 'utf8'));
    console.log(process.getuid(), process.getgid(), capabilities, refused(() => fs.writeFileSync('/app/x', '')),
      refused(() => fs.writeFileSync('/usr/bin/x', '')));`;
  const facts = await host.must(['podman', 'exec', 'api', 'node', '-e', inside]);
  expect(facts.trim()).toBe('65532 65532 0000000000000000 EROFS EROFS');
  expect((await host.run(['podman', 'exec', 'api', 'sh', '-c', 'true'])).exitCode).not.toBe(0);
  const health = /`(node -e "fetch.*?")`/.exec(readFileSync(PAGE, 'utf8'))?.[1] ?? '';
  await host.must(['bash', '-ec', `podman exec api ${health}`]);

  const stopAt = performance.now();
  await host.must(['podman', 'stop', '--time=30', 'api']);
  expect(performance.now() - stopAt).toBeLessThan(15_000);
  expect(await host.must(['podman', 'inspect', '--format={{.State.ExitCode}}', 'api'])).toBe('0\n');
}

const PAGE = path.join(ROOT, 'docs/operate/image.md');

/** The command of the page, with the version of this image. */
function pageLine(line: RegExp): string {
  const commands = fencesOf(readFileSync(PAGE, 'utf8')).filter(({ info }) => info === 'sh');
  const found = commands.flatMap(({ body }) => line.exec(body)?.[0] ?? []);
  expect(found, `${String(line)} in docs/operate/image.md`).toHaveLength(1);
  return (found[0] ?? '').replaceAll('0.1.0', version);
}

async function until(done: () => Promise<boolean>, withinMs: number, why = () => ''): Promise<void> {
  for (const deadline = performance.now() + withinMs; !(await done()); await sleep(250))
    if (performance.now() > deadline) throw new Error(`not done within ${withinMs} ms: ${why()}`);
}

function unpack(archive: Buffer, root: string): void {
  const blobs = new Map(readTar(archive).flatMap((entry) => (entry.kind === 'file' ? [[entry.path, entry.data]] : [])));
  const blob = (digest: string) => blobs.get(`blobs/sha256/${digest.replace('sha256:', '')}`) ?? Buffer.alloc(0);
  const index = JSON.parse(blobs.get('index.json')?.toString() ?? '');
  const { layers }: { layers: { digest: string }[] } = JSON.parse(blob(index.manifests[0].digest).toString());
  for (const { digest } of layers)
    execFileSync('tar', ['-x', '-C', root, '--no-same-owner'], { input: zstdDecompressSync(blob(digest)) });
}
