// Seeds an account that can be paid, and returns a caller for it.
import type { Caller, Mode, NetworkSetup } from '@svc-pay/core';
import { newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';

export const PROCESSOR = '0x2222222222222222222222222222222222222222';

export const NETWORKS: ReadonlyMap<string, NetworkSetup> = new Map([
  ['eip155:84532', { processor: PROCESSOR, processorVersion: '1.3.0', ready: true }],
  ['eip155:31337', { processor: PROCESSOR, processorVersion: '1.3.0', ready: true }],
]);

export type MerchantOptions = {
  readonly mode?: Mode;
  readonly tokens?: readonly string[];
  readonly kind?: Caller['kind'];
};

let lastPayout = 1;

export async function seedMerchant(
  pool: pg.Pool,
  { mode = 'test', tokens = ['basesepolia_usdc', 'anvil_usdc'], kind = 'secret' }: MerchantOptions = {},
): Promise<Caller> {
  const nowMs = Date.now();
  const accountId = newId('account', nowMs);
  const keyId = newId('key', nowMs);
  await pool.query(
    `with account as (insert into svc.accounts values ($1, 'A shop', 'active', '2026-11-15', now())),
       settings as (insert into svc.account_modes (account_id, mode) values ($1, 'test'), ($1, 'live'))
     select 1`,
    [accountId],
  );
  await pool.query(
    'insert into svc.account_tokens select $1, $2, shortcode, now() from unnest($3::text[]) as shortcode',
    [accountId, mode, tokens],
  );
  for (const network of NETWORKS.keys()) {
    lastPayout += 1;
    await pool.query(
      `insert into svc.payouts (account_id, mode, network, payout_id, processor, merchant, fee_bps, status, created_at)
       values ($1, $2, $3, $4, $5, '0x6666666666666666666666666666666666666666', 100, 'active', now())`,
      [accountId, mode, network, lastPayout, PROCESSOR],
    );
  }
  return { accountId, keyId, kind, mode };
}
