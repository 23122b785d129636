import type { Caller, MerchantSetup } from '@svc-pay/core';
import { usdMicros } from '@svc-pay/money';
import type { NetworkId } from '@svc-pay/protocol';
import type pg from 'pg';

type Row = {
  readonly upto_default_timeout_seconds: number;
  readonly upto_max_timeout_seconds: number;
  readonly minimum_usd_micros: string | null;
  readonly tokens: readonly string[];
  readonly payouts: readonly {
    readonly network: NetworkId;
    readonly payoutId: string;
    readonly processor: string;
    readonly merchant: string;
  }[];
};

const LOAD_MERCHANT = {
  name: 'load-merchant',
  text: `
    select upto_default_timeout_seconds, upto_max_timeout_seconds, minimum_usd_micros,
      array(
        select shortcode from svc.account_tokens token
        where token.account_id = settings.account_id and token.mode = settings.mode
      ) as tokens,
      coalesce((
        select json_agg(
          json_build_object('network', network, 'payoutId', payout_id::text, 'processor', processor, 'merchant', merchant)
          order by created_at, payout_id
        )
        from svc.payouts payout
        where payout.account_id = settings.account_id and payout.mode = settings.mode and payout.status = 'active'
      ), '[]') as payouts
    from svc.account_modes settings
    where account_id = $1 and mode = $2`,
};

export async function loadMerchant(pool: pg.Pool, { accountId, mode }: Caller): Promise<MerchantSetup> {
  const { rows } = await pool.query<Row>({ ...LOAD_MERCHANT, values: [accountId, mode] });
  const [row] = rows;
  if (row === undefined) throw new Error(`account ${accountId} has no settings for ${mode} mode`);
  return {
    enabledTokens: new Set(row.tokens),
    payouts: row.payouts.map(({ network, payoutId, processor, merchant }) => ({
      network,
      processor,
      merchant,
      payoutId: BigInt(payoutId),
    })),
    uptoDefaultTimeoutSeconds: row.upto_default_timeout_seconds,
    uptoMaxTimeoutSeconds: row.upto_max_timeout_seconds,
    minimumUsdMicros: row.minimum_usd_micros === null ? null : usdMicros(BigInt(row.minimum_usd_micros)),
  };
}
