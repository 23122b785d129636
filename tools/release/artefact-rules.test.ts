import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { artefactProblems } from './artefact-rules.ts';
import { writeOciImage } from './image/oci.ts';
import { type TarEntry, writeTar } from './image/tar.ts';

const MACHINE = { folders: ['/srv/builder/svc-pay/'], hosts: ['mirror.invalid'] };
const MANIFEST = JSON.stringify({ name: '@shop/till', version: '2.1.0', peerDependencies: { react: '*' } });
const PEM = ['-----BEGIN PRIVATE', ` KEY-----\n${'A'.repeat(40)}\n`].join('');
const ANVIL_KEY = ['59c6995e998f97a5a0044966f0945389', 'dc9e86dae88c7a8412f4603b6b78690d'].join('');
const HOME = ['', 'home', 'ada', 'shop'].join('/');

type Texts = Readonly<Record<string, string>>;

const tar = (texts: Texts) =>
  writeTar(
    Object.entries(texts).map(([name, text]): TarEntry => {
      return { path: name, kind: 'file', data: Buffer.from(text), executable: false };
    }),
  );
const npmPackage = (texts: Texts) => gzipSync(tar({ 'package/package.json': MANIFEST, ...texts }));
const source = (texts: Texts) => gzipSync(tar(texts));
const image = (texts: Texts) =>
  writeOciImage([{ about: 'ours', tar: tar(texts) }], {
    created: '2026-01-02T00:00:00Z',
    reference: 'shop:1',
    user: '1:1',
    environment: [],
    entrypoint: [],
    command: [],
    labels: {},
  }).archive;

function problemsOf(file: string, content: Buffer | string): string[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'artefact-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(path.join(folder, file), content);
  return artefactProblems(folder, [file], MACHINE);
}

test('clean files have no problem, and files of others in the image may quote a test key', () => {
  expect(problemsOf('a.tgz', npmPackage({ 'package/dist/index.js': 'export const a = "/work";' }))).toEqual([]);
  expect(problemsOf('a-source.tar.gz', source({ 'a/b.test.ts': 'test()' }))).toEqual([]);
  expect(problemsOf('a.oci.tar', image({ 'app/node_modules/b/c.js': `${ANVIL_KEY} ${HOME}` }))).toEqual([]);
});

test.each([
  ['a.tgz', npmPackage({ 'package/dist/index.js': PEM }), 'a.tgz: package/dist/index.js holds a private key'],
  ['a.tgz', npmPackage({ 'package/x.js': ANVIL_KEY }), 'a.tgz: package/x.js holds a private key'],
  ['a-source.tar.gz', source({ 'a/key.pem': PEM }), 'a-source.tar.gz: a/key.pem holds a private key'],
  ['a.oci.tar', image({ 'app/cli/src/a.ts': ANVIL_KEY }), 'a.oci.tar: app/cli/src/a.ts holds a private key'],
  ['NOTICES.txt', PEM, 'NOTICES.txt holds a private key'],
  ['a.tgz', npmPackage({ 'package/a.js': `at ${HOME}/a.ts` }), 'a.tgz: package/a.js names a folder of a machine'],
  ['a.cdx.json', '{"file":"/srv/builder/svc-pay/sdk"}', 'a.cdx.json names a folder of a machine'],
  ['a.oci.tar', image({ 'usr/bin/svc': `#!${HOME}/node` }), 'a.oci.tar: usr/bin/svc names a folder of a machine'],
  ['a.cdx.json', '{"url":"https://mirror.invalid/left.tgz"}', 'a.cdx.json names the host mirror.invalid'],
  ['a.tgz', npmPackage({ 'package/a.test.js': '' }), 'a.tgz: package/a.test.js is a test'],
  ...['dependencies', 'devDependencies', 'scripts'].map((name): [string, Buffer, string] => [
    'a.tgz',
    npmPackage({ 'package/package.json': JSON.stringify({ name: 'a', [name]: {} }) }),
    `a.tgz: package/package.json has ${name}`,
  ]),
])('%s with what it must not hold is refused (%#)', (file, content, problem) => {
  expect(problemsOf(file, content)).toEqual([problem]);
});
