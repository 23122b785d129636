import { expect, test } from 'vitest';
import { readSettlementConfig } from './config.ts';

const setup = { processor: `0x${'52'.repeat(20)}`, processorVersion: '1.3.0', ready: true, rpcUrls: ['http://a'] };
const networks = (...names: readonly string[]) => ({
  SVC_NETWORKS: JSON.stringify(Object.fromEntries(names.map((name) => [name, setup]))),
});
const GOOD = {
  SVC_DATABASE_URL: 'postgres://settlement@127.0.0.1/svc',
  SVC_INTERNAL_KEYS: 'internal-key-of-the-tests-internal-key',
  SVC_RELAYER_KEYSTORES: '/keys/one.json',
  SVC_RELAYER_PASSWORD_FILE: '/keys/password',
};
const LIVE = networks('eip155:84532', 'eip155:8453');

test('beside a live network the engine’s identity is required', () => {
  const refused = {
    ok: false,
    problems: [expect.stringContaining('SVC_ENGINE_IDENTITY_KEYS is required beside eip155')],
  };
  expect(readSettlementConfig({ ...GOOD, ...LIVE })).toMatchObject(refused);
  expect(readSettlementConfig({ ...GOOD, ...LIVE, SVC_ENGINE_IDENTITY_KEYS: ' , ' })).toMatchObject(refused);
  expect(readSettlementConfig({ ...GOOD, ...LIVE, SVC_ENGINE_IDENTITY_KEYS: 'publickeyv1_a' })).toMatchObject({
    ok: true,
    config: { engineIdentityKeys: ['publickeyv1_a'] },
  });
});

test('beside test networks alone it is not', () => {
  expect(readSettlementConfig({ ...GOOD, ...networks('eip155:84532') })).toMatchObject({ ok: true });
});
