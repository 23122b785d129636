// Loads the token rate that was stored with each payment's acceptance when it was offered.
import { findToken, type LaneItem } from '@svc-pay/core';
import { parseRate, printUsd, type Rate, usd } from '@svc-pay/money';
import type pg from 'pg';

type Row = {
  readonly payment_id: string;
  readonly token_shortcode: string;
  readonly usd_per_token_atto: string;
  readonly rate_source: string;
  readonly rate_observed_at: Date;
};

const LOAD = {
  name: 'load-paid-rates',
  text: `
    select item.payment_id, offered.token_shortcode, offered.usd_per_token_atto, offered.rate_source,
      offered.rate_observed_at
    from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
      as item (account_id, mode, intent_id, payment_id, asset)
    join svc.acceptances offered
      on offered.account_id = item.account_id and offered.mode = item.mode and offered.intent_id = item.intent_id
        and offered.network = $1 and offered.asset = item.asset
    where offered.usd_per_token_atto is not null`,
};

/** Rates by payment id. A payment whose token had no price is left out. */
export async function loadPaidRates(
  client: pg.ClientBase,
  network: string,
  items: readonly LaneItem[],
): Promise<ReadonlyMap<string, Rate>> {
  const { rows } = await client.query<Row>({
    ...LOAD,
    values: [
      network,
      items.map(({ accountId }) => accountId),
      items.map(({ mode }) => mode),
      items.map(({ intentId }) => intentId),
      items.map(({ paymentId }) => paymentId),
      items.map(({ asset }) => asset),
    ],
  });
  return new Map(rows.flatMap((row) => rateOf(row)));
}

function rateOf(row: Row): readonly (readonly [string, Rate])[] {
  const token = findToken(row.token_shortcode)?.unit;
  if (token === undefined) return [];
  const read = parseRate({
    token,
    usdPerToken: printUsd(usd(BigInt(row.usd_per_token_atto))),
    source: row.rate_source,
    observedAtMs: row.rate_observed_at.getTime(),
  });
  return read.ok ? [[row.payment_id, read.rate]] : [];
}
