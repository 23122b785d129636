import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readSettlementConfig } from './config.ts';

const setup = { processor: `0x${'52'.repeat(20)}`, processorVersion: '1.3.0', ready: true, rpcUrls: ['http://a'] };
const networks = (...names: readonly string[]) => ({
  SVC_NETWORKS: JSON.stringify(Object.fromEntries(names.map((name) => [name, setup]))),
});
const folder = mkdtempSync(path.join(tmpdir(), 'svc-settlement-'));
afterAll(() => rmSync(folder, { recursive: true }));
const passwordFile = path.join(folder, 'password');
writeFileSync(passwordFile, 'a password\n', { mode: 0o600 });
const GOOD = {
  SVC_DATABASE_URL: 'postgres://settlement@127.0.0.1/svc',
  SVC_INTERNAL_KEYS: 'internal-key-of-the-tests-internal-key',
  SVC_RELAYER_KEYSTORES: '/keys/one.json',
  SVC_RELAYER_PASSWORD_FILE: passwordFile,
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

test('keys that others can read, or that are not there, are refused by the name of the setting', () => {
  const solana = path.join(folder, 'solana.json');
  writeFileSync(solana, '[]', { mode: 0o600 });
  chmodSync(solana, 0o644);
  const given = { ...GOOD, ...networks('eip155:84532'), SVC_RELAYER_PASSWORD_FILE: path.join(folder, 'none') };
  expect(readSettlementConfig({ ...given, SVC_SOLANA_RELAYER_FILES: solana })).toEqual({
    ok: false,
    problems: [
      expect.stringMatching(/^SVC_RELAYER_PASSWORD_FILE names a file that does not exist/),
      expect.stringMatching(/^SVC_SOLANA_RELAYER_FILES names a file that not only its owner may use/),
    ],
  });
});
