// Account with keys of every kind in both modes, tokens of every family, and payouts where a processor is configured.
import { randomBytes } from 'node:crypto';
import { type ApiKeyText, type KeyKind, keyIndex, type Mode, makeApiKey } from '@svc-pay/core';
import { insertRow, insertRows, type TestDatabase } from '@svc-pay/postgres/testing';
import { newId } from '@svc-pay/protocol/ids';

export const PEPPER = Buffer.from('pepper-of-the-tests-pepper-of-the-tests');
export const PROCESSOR = `0x${'52'.repeat(20)}`;

/** Nobody listens on this port: tests that verify start a chain themselves. */
const rpcUrls = ['http://127.0.0.1:9'];

/** Networks of the test operator: two with all features, one with an old processor, one paused. */
export const NETWORKS = {
  'eip155:84532': { processor: PROCESSOR, processorVersion: '1.3.0', ready: true, rpcUrls },
  'eip155:31337': { processor: PROCESSOR, processorVersion: '1.2.9', ready: true, rpcUrls },
  'eip155:8453': {
    processor: PROCESSOR,
    processorVersion: '1.3.0',
    ready: true,
    rpcUrls,
    rpcUrlPublic: 'https://rpc.example/base',
  },
  'eip155:137': { processor: PROCESSOR, processorVersion: '1.4.0', ready: false, rpcUrls },
};

const TOKENS: Readonly<Record<Mode, readonly string[]>> = {
  test: ['basesepolia_usdc', 'anvil_usdc', 'soldevnet_usdc', 'anvil_vol'],
  live: ['base_usdc', 'polygon_usdc', 'eth_usdc', 'sol_usdc', 'ic_ckusdc', 'base_eurc'],
};
const PAID_ON: Readonly<Record<Mode, readonly string[]>> = {
  test: ['eip155:84532', 'eip155:31337'],
  live: ['eip155:8453', 'eip155:137'],
};

export type SeededAccount = {
  readonly accountId: string;
  readonly keys: Readonly<Record<Mode, Readonly<Record<KeyKind, ApiKeyText>>>>;
};

export async function seedAccount(pool: TestDatabase['pool'], pepper: Uint8Array = PEPPER): Promise<SeededAccount> {
  const accountId = newId('account', Date.now());
  await insertRow(pool, 'accounts', { id: accountId });
  for (const mode of ['test', 'live'] as const) {
    const tenant = { account_id: accountId, mode };
    await insertRow(pool, 'account_modes', tenant);
    await insertRows(
      pool,
      'account_tokens',
      TOKENS[mode].map((shortcode) => ({ ...tenant, shortcode })),
    );
    const payouts = PAID_ON[mode].map((network) => ({
      ...tenant,
      network,
      payout_id: randomBytes(5).readUIntBE(0, 5),
    }));
    await insertRows(
      pool,
      'payouts',
      payouts.map((row) => ({ ...row, processor: PROCESSOR })),
    );
  }
  const keysOf = async (mode: Mode) => ({
    publishable: await addKey(pool, accountId, 'publishable', mode, pepper),
    secret: await addKey(pool, accountId, 'secret', mode, pepper),
  });
  return { accountId, keys: { test: await keysOf('test'), live: await keysOf('live') } };
}

export async function addKey(
  pool: TestDatabase['pool'],
  accountId: string,
  kind: KeyKind,
  mode: Mode,
  pepper: Uint8Array = PEPPER,
  change: Readonly<Record<string, unknown>> = {},
): Promise<ApiKeyText> {
  const text = makeApiKey(kind, mode, randomBytes);
  await insertRow(pool, 'api_keys', {
    account_id: accountId,
    mode,
    id: newId('key', Date.now()),
    kind,
    lookup: keyIndex(pepper, text),
    publishable_text: kind === 'publishable' ? text : null,
    ciphertext: kind === 'secret' ? randomBytes(90) : null,
    hint: text.slice(-4),
    ...change,
  });
  return text;
}
