import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { OPERATOR_SETTINGS, readOperatorConfig } from './config.ts';

const base64 = (byte: number) => Buffer.alloc(32, byte).toString('base64');
const everything = {
  SVC_DATABASE_URL: 'postgres://svc:canary-password@127.0.0.1/svc',
  SVC_KEY_PEPPER: base64(7),
  SVC_MASTER_KEYS: `2:${base64(2)}, 1:${base64(1)}`,
  SVC_OPERATOR: 'ada',
};
const needs = ['databaseUrl', 'keyPeppers', 'masterKeys'] as const;
const networks = JSON.stringify({
  'eip155:84532': { processor: `0x${'52'.repeat(20)}`, processorVersion: '1.3.0', ready: true, rpcUrls: ['http://a'] },
});

test('a command asks only for what it needs', () => {
  expect(readOperatorConfig([], {})).toMatchObject({ ok: true });
  const read = readOperatorConfig(needs, {});
  expect(!read.ok && read.problems.map((problem) => problem.split(' ')[0])).toEqual([
    'SVC_DATABASE_URL',
    'SVC_KEY_PEPPER',
    'SVC_MASTER_KEYS',
  ]);
});

test('master keys come numbered, the first one seals', () => {
  const read = readOperatorConfig(needs, everything);
  expect(read.ok && read.config.masterKeys.map(({ number }) => number)).toEqual([2, 1]);
  expect(read.ok && read.config.actor).toBe('operator:ada');
});

test.each([
  ['no number', base64(1)],
  ['number 0', `0:${base64(1)}`],
  ['number 256', `256:${base64(1)}`],
  ['16 bytes', `1:${Buffer.alloc(16).toString('base64')}`],
  ['the same number twice', `1:${base64(1)},1:${base64(2)}`],
  ['an empty one among good ones', `1:${base64(1)},`],
  ['something else', 'canary'],
])('master keys are refused: %s', (_, SVC_MASTER_KEYS) => {
  expect(readOperatorConfig(needs, { ...everything, SVC_MASTER_KEYS })).toEqual({
    ok: false,
    problems: [expect.stringMatching(/^SVC_MASTER_KEYS must be/)],
  });
});

test('networks come as JSON or as a file, not as both', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-networks-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'networks.json');
  writeFileSync(file, networks.replace('eip155:84532', '84532'));
  for (const given of [{ SVC_NETWORKS: networks }, { SVC_NETWORKS_FILE: file }]) {
    const read = readOperatorConfig([], given);
    expect(read.ok && [...read.config.networks.keys()]).toEqual(['eip155:84532']);
  }
  expect(readOperatorConfig([], { SVC_NETWORKS: networks, SVC_NETWORKS_FILE: file })).toMatchObject({ ok: false });
  expect(readOperatorConfig([], { SVC_NETWORKS: networks.replace('84532', '999999') })).toMatchObject({ ok: false });
});

test('a refused configuration names variables, never values', () => {
  const names = Object.values(OPERATOR_SETTINGS).map(({ name }) => name);
  const read = readOperatorConfig(needs, Object.fromEntries(names.map((name) => [name, 'canary!'])));
  expect(read).toMatchObject({ ok: false });
  expect(JSON.stringify(read)).not.toContain('canary');
});
