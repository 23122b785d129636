// The account that the bench creates intents for.
import { randomBytes } from 'node:crypto';
import { type ApiKeyText, keyIndex, makeApiKey } from '@svc-pay/core';
import { newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';

export const PROCESSOR = '0x2222222222222222222222222222222222222222';

export type BenchAccount = { readonly accountId: string; readonly key: ApiKeyText };

export async function seedAccount(client: pg.Client, pepper: Uint8Array): Promise<BenchAccount> {
  const nowMs = performance.timeOrigin + performance.now();
  const accountId = newId('account', Math.floor(nowMs));
  const key = makeApiKey('publishable', 'test', randomBytes);
  await client.query("insert into svc.accounts values ($1, 'Bench', 'active', '2026-11-15', now())", [accountId]);
  await client.query("insert into svc.account_modes (account_id, mode) values ($1, 'test')", [accountId]);
  await client.query("insert into svc.account_tokens values ($1, 'test', 'basesepolia_usdc', now())", [accountId]);
  await client.query(
    `insert into svc.payouts (account_id, mode, network, payout_id, processor, merchant, fee_bps, status, created_at)
     values ($1, 'test', 'eip155:84532', 1, $2, '0x6666666666666666666666666666666666666666', 100, 'active', now())`,
    [accountId, PROCESSOR],
  );
  await client.query(
    `insert into svc.api_keys (account_id, mode, id, kind, lookup, publishable_text, hint, created_at)
     values ($1, 'test', $2, 'publishable', $3, $4, $5, now())`,
    [accountId, newId('key', Math.floor(nowMs)), keyIndex(pepper, key), key, key.slice(-4)],
  );
  return { accountId, key };
}
