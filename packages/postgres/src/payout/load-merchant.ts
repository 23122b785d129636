import type { ActivePayout, Caller, MerchantSetup, MetadataKey } from '@svc-pay/core';
import { type Split, usdMicros } from '@svc-pay/money';
import type { NetworkId } from '@svc-pay/protocol';
import type pg from 'pg';
import { type DirectColumns, readDirect } from './direct-columns.ts';

type Row = {
  readonly upto_default_timeout_seconds: number;
  readonly upto_max_timeout_seconds: number;
  readonly minimum_usd_micros: string | null;
  readonly tokens: readonly string[];
  readonly payouts: readonly PayoutRow[];
  readonly takes_processor: boolean;
  readonly metadata_keys: readonly MetadataKey[];
};

type PayoutRow = DirectColumns & {
  readonly network: NetworkId;
  readonly payoutId: string;
  readonly processor: string;
  readonly merchant: string;
  readonly feeBps: number;
  readonly splits: readonly Split[];
  readonly asset: string | null;
  readonly activeFromMs: number | null;
  readonly readable: boolean;
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
          json_build_object(
            'network', network, 'payoutId', payout_id::text, 'processor', processor, 'merchant', merchant,
            'feeBps', fee_bps, 'splits', splits, 'kind', kind,
            'asset', asset, 'activation', activation, 'activeFromMs', ceil(extract(epoch from active_from) * 1000),
            'readable', kind = 'direct' and exists (
              select from svc.reader_cursors cursor where cursor.network = payout.network and cursor.address = lower(asset)
            )
          )
          order by created_at, payout_id
        )
        from svc.payouts payout
        where payout.account_id = settings.account_id and payout.mode = settings.mode and payout.status = 'active'
      ), '[]') as payouts,
      exists (
        select from svc.x402_processor_sellers seller
        where seller.account_id = settings.account_id and seller.mode = settings.mode
      ) as takes_processor,
      coalesce((
        select json_agg(
          json_build_object('key', declared.key, 'declaredAtMs', ceil(extract(epoch from declared.declared_at) * 1000))
          order by declared.key
        )
        from svc.metadata_keys declared
        where declared.account_id = settings.account_id and declared.mode = settings.mode
      ), '[]') as metadata_keys
    from svc.account_modes settings
    where account_id = $1 and mode = $2`,
};

export async function loadMerchant(pool: pg.Pool, { accountId, mode }: Caller): Promise<MerchantSetup> {
  const { rows } = await pool.query<Row>({ ...LOAD_MERCHANT, values: [accountId, mode] });
  const [row] = rows;
  if (row === undefined) throw new Error(`account ${accountId} has no settings for ${mode} mode`);
  return {
    enabledTokens: new Set(row.tokens),
    payouts: row.payouts.map(activePayoutOf),
    uptoDefaultTimeoutSeconds: row.upto_default_timeout_seconds,
    uptoMaxTimeoutSeconds: row.upto_max_timeout_seconds,
    minimumUsdMicros: row.minimum_usd_micros === null ? null : usdMicros(BigInt(row.minimum_usd_micros)),
    ...(row.takes_processor && { takesProcessor: true }),
    ...(row.metadata_keys.length > 0 && { metadataKeys: row.metadata_keys }),
  };
}

/** A direct payout that can't be read is kept as one, so that none which it replaced is offered in its place. */
function activePayoutOf(row: PayoutRow): ActivePayout {
  const { network, processor, merchant, feeBps, splits, asset, activeFromMs, readable } = row;
  const payout = { network, processor, merchant, feeBps, splits, payoutId: BigInt(row.payoutId) };
  const { direct: activation, unreadable } = readDirect(row);
  if (activation === undefined && !unreadable) return payout;
  const isWhole = asset !== null && activeFromMs !== null && merchant === processor;
  const direct = { asset, activeFromMs: activeFromMs ?? 0, readable };
  return { ...payout, direct: { ...direct, activation: isWhole ? activation : undefined } };
}
