import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PUBLIC_ROOT_KEY } from '@svc-pay/core';
import { expect, onTestFinished, test } from 'vitest';
import { API_SETTINGS, readApiConfig } from './config.ts';

const needed = {
  SVC_DATABASE_URL: 'postgres://svc:canary-password@127.0.0.1/svc',
  SVC_KEY_PEPPER: Buffer.from('canary-pepper-canary-pepper-canary').toString('base64'),
};
const networks = JSON.stringify({
  'eip155:84532': {
    processor: `0x${'52'.repeat(20)}`,
    processorVersion: '1.3.0',
    ready: true,
    rpcUrls: ['https://rpc.example/canary'],
  },
});

test('the database and the pepper are all that must be given', () => {
  expect(readApiConfig(needed)).toMatchObject({ ok: true, config: { port: 8402, rateLive: 100, rateTest: 100 } });
  const nothing = readApiConfig({});
  expect(!nothing.ok && nothing.problems.map((problem) => problem.split(' ')[0])).toEqual([
    'SVC_DATABASE_URL',
    'SVC_KEY_PEPPER',
  ]);
});

test('a configuration is frozen', () => {
  const read = readApiConfig(needed);
  expect(Object.isFrozen(read.ok && read.config)).toBe(true);
});

test('secrets are marked as such and have no fallback', () => {
  const secrets = Object.values(API_SETTINGS).filter(({ secret }) => secret);
  expect(secrets.map(({ name }) => name)).toEqual(['SVC_DATABASE_URL', 'SVC_KEY_PEPPER', 'SVC_INTERNAL_KEY']);
  expect(secrets.filter(({ fallback }) => fallback !== undefined)).toEqual([]);
});

const explorer = (url: string) => ({ SVC_NETWORKS: networks.replace('"ready"', `"explorerUrl":"${url}","ready"`) });

test('networks come as JSON or as a file, by any name of the network', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-networks-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'networks.json');
  writeFileSync(file, networks.replace('eip155:84532', '84532'));
  for (const given of [{ SVC_NETWORKS: networks }, { SVC_NETWORKS_FILE: file }]) {
    const read = readApiConfig({ ...needed, ...given });
    expect(read.ok && read.config.networks.get('eip155:84532')).toMatchObject({ processorVersion: '1.3.0' });
  }
});

const ROOT_KEY = `308182301d060d2b0601040182dc7c0503010201060c2b0601040182dc7c05030201036100${'ab'.repeat(96)}`;
const icp = (name: string, change: object = {}) =>
  readApiConfig({
    ...needed,
    SVC_NETWORKS: JSON.stringify({
      [name]: { ready: true, rpcUrls: ['http://127.0.0.1:4943'], rootKey: ROOT_KEY, ...change },
    }),
  });

test('the Internet Computer has no processor, and its merchants are paid with nothing between', () => {
  const read = icp('icp:local');
  expect(read.ok && read.config.networks.get('icp:local')).toEqual({ processor: '', paysMerchant: true, ready: true });
  expect(read.ok && [read.config.rpcUrls.size, read.config.clusters.size]).toEqual([0, 0]);
  const unreachable = icp('icp:local', { rpcUrls: [] });
  expect(unreachable.ok && unreachable.config.networks.get('icp:local')?.ready).toBe(false);
});

test('a root key is one, and only the public Internet Computer is known without', () => {
  expect(icp('icp:mainnet', { rootKey: undefined }).ok).toBe(true);
  expect(icp('icp:mainnet', { rootKey: PUBLIC_ROOT_KEY }).ok).toBe(true);
  expect(icp('icp:mainnet').ok).toBe(false);
  expect(icp('icp:local', { rootKey: undefined }).ok).toBe(false);
  for (const rootKey of ['', 'ab'.repeat(133), ROOT_KEY.slice(2), `${ROOT_KEY}ab`, ROOT_KEY.toUpperCase(), 7])
    expect(icp('icp:local', { rootKey }).ok).toBe(false);
  expect(icp('icp:local', { processor: `0x${'52'.repeat(20)}` }).ok).toBe(false);
});

test('RPC addresses are kept apart from what an intent is made of', () => {
  const read = readApiConfig({ ...needed, SVC_NETWORKS: networks });
  expect(read.ok && read.config.networks.get('eip155:84532')).toEqual({
    processor: `0x${'52'.repeat(20)}`,
    processorVersion: '1.3.0',
    ready: true,
    blockSeconds: 2,
  });
  expect(read.ok && read.config.rpcUrls).toEqual(new Map([['eip155:84532', ['https://rpc.example/canary']]]));
});

test.each(['"rpcUrls":[]', '"rpcUrlPublic":"https://rpc.example"'])(
  'a network where no signature can be verified is not ready: %s',
  (instead) => {
    const blind = networks.replace('"rpcUrls":["https://rpc.example/canary"]', instead);
    const read = readApiConfig({ ...needed, SVC_NETWORKS: blind });
    expect(read.ok && read.config.networks.get('eip155:84532')).toMatchObject({ ready: false });
    expect(read.ok && read.config.rpcUrls).toEqual(new Map());
  },
);

test('an explorer is read with its network, and absent where none is given', () => {
  const url = 'https://explorer.example/tx/{transactionId}';
  const given = networks.replace('"ready"', `"explorerUrl":"${url}","ready"`);
  const read = readApiConfig({ ...needed, SVC_NETWORKS: given });
  expect(read.ok && read.config.explorers).toEqual(new Map([['eip155:84532', url]]));
  const without = readApiConfig({ ...needed, SVC_NETWORKS: networks });
  expect(without.ok && without.config.explorers).toEqual(new Map());
});

test.each([
  ['both', { SVC_NETWORKS: networks, SVC_NETWORKS_FILE: 'tsconfig.json' }],
  ['a file that is not there', { SVC_NETWORKS_FILE: 'nowhere.json' }],
  ['an unknown network', { SVC_NETWORKS: networks.replace('84532', '999999') }],
  ['a misspelt field', { SVC_NETWORKS: networks.replace('ready', 'raedy') }],
  ['a short address', { SVC_NETWORKS: networks.replace('0x52', '0x') }],
  ['no JSON', { SVC_NETWORKS: '{' }],
  ['an explorer that names no transaction', explorer('https://explorer.example/tx/')],
  ['an explorer that is a script', explorer('javascript:alert({transactionId})')],
])('networks are refused: %s', (_, given) => {
  expect(readApiConfig({ ...needed, ...given })).toMatchObject({
    ok: false,
    problems: [expect.stringContaining('SVC_NETWORKS')],
  });
});

test('metrics never share the public port', () => {
  expect(readApiConfig({ ...needed, SVC_API_PORT: '9402' })).toMatchObject({ ok: false });
  expect(readApiConfig({ ...needed, SVC_API_PORT: '0', SVC_API_METRICS_PORT: '0' })).toMatchObject({ ok: true });
});

test('a proxy that is no address and no range is named at start', () => {
  expect(readApiConfig({ ...needed, SVC_API_TRUSTED_PROXIES: '10.0.0.5, loopback' })).toEqual({
    ok: false,
    problems: [expect.stringContaining('SVC_API_TRUSTED_PROXIES: loopback')],
  });
  expect(readApiConfig({ ...needed, SVC_API_TRUSTED_PROXIES: '10.0.0.0/24,2001:db8::1' })).toMatchObject({ ok: true });
});

test('the address of settlement and the key for it go together', () => {
  const [url, key] = [{ SVC_SETTLEMENT_URL: 'http://127.0.0.1:8403' }, { SVC_INTERNAL_KEY: 'k'.repeat(32) }];
  expect(readApiConfig({ ...needed, ...url, ...key })).toMatchObject({ ok: true });
  for (const alone of [url, key]) expect(readApiConfig({ ...needed, ...alone })).toMatchObject({ ok: false });
});

test('a refused configuration names variables, never values', () => {
  const read = readApiConfig({ SVC_DATABASE_URL: 'canary', SVC_KEY_PEPPER: 'canary!', SVC_NETWORKS: 'canary' });
  expect(read).toMatchObject({ ok: false });
  expect(JSON.stringify(read)).not.toContain('canary');
});

test('a network has the minimum and the block time of its chain, unless the operator says otherwise', () => {
  const operated = { processor: `0x${'52'.repeat(20)}`, processorVersion: '1.3.0', ready: true };
  const setupOf = (network: string, change: object = {}) => {
    const read = readApiConfig({ ...needed, SVC_NETWORKS: JSON.stringify({ [network]: { ...operated, ...change } }) });
    return read.ok ? read.config.networks.get(network) : read.problems;
  };
  expect(setupOf('eip155:1')).toMatchObject({ minimumUsdMicros: 2_000_000n, blockSeconds: 12 });
  expect(setupOf('eip155:8453')).toMatchObject({ minimumUsdMicros: 10_000n, blockSeconds: 2 });
  const changed = { minimumUsd: '0.0000001', blockSeconds: 20 };
  expect(setupOf('eip155:1', changed)).toMatchObject({ minimumUsdMicros: 1n, blockSeconds: 20 });
  expect(setupOf('eip155:1', { minimumUsd: '0' })).not.toHaveProperty('minimumUsdMicros');
  expect(setupOf('eip155:31337')).not.toHaveProperty('minimumUsdMicros');
  for (const wrong of [{ minimumUsd: 1 }, { minimumUsd: '-1' }, { blockSeconds: 0 }, { blockSeconds: 21 }])
    expect(setupOf('eip155:1', wrong)).toEqual([expect.stringContaining('SVC_NETWORKS must be')]);
});
