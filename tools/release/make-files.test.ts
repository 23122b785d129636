import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { billOfMaterials } from './bill-of-materials.ts';
import { type MadeFiles, makeFiles, readOrder } from './make-files.ts';
import { productionDependencies } from './production-dependencies.ts';

let root: string;
let out: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'release-'));
  out = path.join(root, '.cache/release');
});
afterEach(() => rmSync(root, { recursive: true }));

function write(file: string, content: string | object): void {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), typeof content === 'string' ? content : JSON.stringify(content));
}

/** A repository with one workspace, committed on a fixed date. */
function repository(workspace: object): void {
  write('package.json', { name: 'shop', version: '1.0.0', private: true, workspaces: ['packages/*'] });
  write('package-lock.json', {
    name: 'shop',
    version: '1.0.0',
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': { name: 'shop', version: '1.0.0', workspaces: ['packages/*'] },
      'packages/till': { name: '@shop/till', version: '2.1.0' },
      'node_modules/@shop/till': { resolved: 'packages/till', link: true },
    },
  });
  write('.gitignore', '.cache/\n');
  write('packages/till/package.json', { name: '@shop/till', version: '2.1.0', exports: './index.js', ...workspace });
  write('packages/till/index.js', 'export const open = true;\n');
  write('packages/till/LICENSE', 'words\n');
  git('init', '--quiet');
  git('add', '--all');
  git(
    '-c',
    'user.name=a',
    '-c',
    'user.email=a@example.com',
    'commit',
    '--quiet',
    '--message=first',
    '--date=2026-01-02',
  );
}

function make(parts: Parameters<typeof makeFiles>[3] = {}): MadeFiles {
  const order = readOrder(root);
  return order.ok ? makeFiles(root, out, order, parts) : { ok: false, problems: [order.problem] };
}

const git = (...argv: string[]) => execFileSync('git', argv, { cwd: root });
const entriesOf = (file: string) =>
  execFileSync('tar', ['-tzf', path.join(out, file)], { encoding: 'utf8' }).split('\n');

test('a workspace that is not private is packed, and every file is in the sums', { timeout: 30_000 }, () => {
  repository({});
  const run = make();
  expect(run).toMatchObject({ ok: true, notes: [] });
  expect(run.ok && run.artifacts.map(({ file }) => file)).toEqual([
    'shop-till-2.1.0.tgz',
    'shop-1.0.0-source.tar.gz',
    'shop-1.0.0.cdx.json',
    'THIRD-PARTY-NOTICES.txt',
    'shop-1.0.0.provenance.json',
  ]);
  expect(entriesOf('shop-till-2.1.0.tgz')).toEqual(expect.arrayContaining(['package/index.js', 'package/LICENSE']));
  expect(entriesOf('shop-1.0.0-source.tar.gz')).toContain('shop-1.0.0/packages/till/index.js');
  const checked = execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: out, encoding: 'utf8' });
  expect(checked.match(/: OK$/gm)).toHaveLength(5);
});

test('a folder that was built to be published is packed as it lies', { timeout: 30_000 }, () => {
  repository({ private: true });
  write('.cache/stage/package.json', { name: '@shop/page', version: '3.0.0', exports: './page.js' });
  write('.cache/stage/page.js', 'export const page = 1;\n');
  const run = make({ staged: [path.join(root, '.cache/stage')] });
  expect(run).toMatchObject({ ok: true, notes: [] });
  expect(entriesOf('shop-page-3.0.0.tgz')).toEqual(expect.arrayContaining(['package/package.json', 'package/page.js']));
});

test('the provenance names what was bundled, with its hash, once', { timeout: 30_000 }, () => {
  repository({ private: true });
  const zod = { name: '@z/zod', version: '4.0.0', sha512: 'ab'.repeat(64) };
  expect(make({ bundled: [zod, zod] })).toMatchObject({ ok: true });
  const statement = JSON.parse(readFileSync(path.join(out, 'shop-1.0.0.provenance.json'), 'utf8'));
  const [source, ...rest] = statement.predicate.buildDefinition.resolvedDependencies;
  expect(source.digest.gitCommit).toMatch(/^[\da-f]{40}$/);
  expect(rest).toEqual([{ uri: 'pkg:npm/%40z/zod@4.0.0', digest: { sha512: zod.sha512 } }]);
});

test('files are made of the commit that was read, also when HEAD moves meanwhile', { timeout: 30_000 }, () => {
  repository({ private: true });
  const order = readOrder(root);
  if (!order.ok) throw new Error(order.problem);
  write('package.json', { name: 'other', version: '6.6.6', private: true, workspaces: ['packages/*'] });
  write('late.txt', 'x');
  git('add', '--all');
  git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '--quiet', '--message=second');
  expect(makeFiles(root, out, order)).toMatchObject({ ok: true });
  expect(entriesOf('shop-1.0.0-source.tar.gz')).not.toContain('shop-1.0.0/late.txt');
});

test('private workspaces only: says that there is nothing to pack, and makes the rest', { timeout: 30_000 }, () => {
  repository({ private: true });
  const run = make();
  expect(run).toMatchObject({ ok: true, notes: ['no package to pack: every workspace is private'] });
  expect(run.ok && run.artifacts.map(({ file }) => file)).not.toContain('shop-till-2.1.0.tgz');
});

test('the bill of materials names the product and its parts, and nothing of this machine', { timeout: 30_000 }, () => {
  repository({ private: true, dependencies: { left: '3.0.0' } });
  const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
  lock.packages['packages/till'].dependencies = { left: '3.0.0' };
  lock.packages['node_modules/left'] = { version: '3.0.0', resolved: 'https://mirror.invalid/left/-/left-3.0.0.tgz' };
  write('package-lock.json', lock);
  write('node_modules/left/package.json', { name: 'left', version: '3.0.0', license: 'MIT' });
  expect(make()).toMatchObject({ ok: true });

  const text = readFileSync(path.join(out, 'shop-1.0.0.cdx.json'), 'utf8');
  const bom = JSON.parse(text);
  expect(bom).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name: 'shop', version: '1.0.0' } } });
  const parts = bom.components.map((part: { name: string; version: string }) => `${part.name} ${part.version}`);
  expect(parts.toSorted()).toEqual(['@shop/till 2.1.0', 'left 3.0.0']);
  expect(text).not.toContain(path.basename(root));
  expect(text).not.toContain('mirror.invalid');
  expect(bom.dependencies).toEqual([
    { ref: 'pkg:npm/shop@1.0.0', dependsOn: ['pkg:npm/%40shop/till@2.1.0'] },
    { ref: 'pkg:npm/%40shop/till@2.1.0', dependsOn: ['pkg:npm/left@3.0.0'] },
    { ref: 'pkg:npm/left@3.0.0', dependsOn: [] },
  ]);
});

test('the bill of materials of this repository names every package whose licence the notices have', () => {
  const own = path.resolve(import.meta.dirname, '../..');
  const { json } = billOfMaterials(own, { name: 'svc-pay', version: '0', committedAt: '2026-01-02T00:00:00Z' });
  const { components }: { components: { name: string; version: string; hashes?: object[] }[] } = JSON.parse(json);
  const keyOf = (one: { name: string; version: string }) => `${one.name}@${one.version}`;
  const others = components.filter(({ name }) => !name.startsWith('@svc-pay/'));
  expect(others.filter(({ hashes }) => hashes === undefined)).toEqual([]);
  expect(others.map(keyOf).toSorted()).toEqual(productionDependencies(own).map(keyOf).toSorted());
  expect(others.map(({ name }) => name)).toEqual(expect.arrayContaining(['fastify', 'pg', 'viem', 'zod']));
});

test('the same commit makes the same bytes', { timeout: 30_000 }, () => {
  repository({});
  const first = make();
  expect(make()).toEqual(first);
});

test('a package that nobody could use is refused', { timeout: 30_000 }, () => {
  repository({ exports: { '.': { types: './index.d.ts', default: './src/index.ts' } } });
  rmSync(path.join(root, 'packages/till/LICENSE'));
  expect(make()).toEqual({
    ok: false,
    problems: ['@shop/till: has no LICENSE file to publish', '@shop/till: exports TypeScript (./src/index.ts)'],
  });
});

test('files with a private key or with a folder of this machine are refused, and none is left', {
  timeout: 30_000,
}, () => {
  repository({});
  write('packages/till/index.js', ['-----BEGIN PRIVATE', ` KEY-----\n${'A'.repeat(40)}\n`].join(''));
  write('packages/till/built.js', `// ${root}/packages/till/index.ts\n`);
  expect(make()).toEqual({
    ok: false,
    problems: [
      'shop-till-2.1.0.tgz: package/built.js names a folder of a machine',
      'shop-till-2.1.0.tgz: package/index.js holds a private key',
    ],
  });
  expect(existsSync(out)).toBe(false);
});

test('uncommitted changes are named, since the archive does not hold them', { timeout: 30_000 }, () => {
  repository({ private: true });
  write('new.txt', 'x');
  const run = make();
  expect(run.ok && run.notes).toContainEqual(expect.stringMatching(/uncommitted changes are not in it/));
  expect(entriesOf('shop-1.0.0-source.tar.gz')).not.toContain('shop-1.0.0/new.txt');
});

test('a folder that is no repository is refused', () => {
  write('package.json', { name: 'shop', version: '1.0.0' });
  expect(make()).toEqual({ ok: false, problems: [expect.stringContaining('not a git repository')] });
});

test('files that cannot be scanned are removed, and have no sums that could be signed', { timeout: 30_000 }, () => {
  repository({ private: true });
  // A device in a tar: reading it throws.
  const archive = Buffer.alloc(1_536);
  archive.write('device');
  archive.write('3', 156);
  const image = { archive, digest: 'sha256:00', listing: [], packages: [], layers: [] };
  const node = { name: 'node', version: '1.0.0', sha512: '', programSha256: '' };
  const run = make({ image: { ...image, node } });
  expect(run).toEqual({ ok: false, problems: [expect.stringContaining('cannot be read')] });
  expect(existsSync(out)).toBe(false);
});
