import { type Caller, type StoredAcceptance, TOKENS } from '@svc-pay/core';
import { atomicAmount, parseRate, printUsd, type Rate, type Token, usd } from '@svc-pay/money';
import type { NetworkId, Scheme } from '@svc-pay/protocol';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';

type Row = {
  readonly position: number;
  readonly scheme: Scheme;
  readonly network: NetworkId;
  readonly token_shortcode: string;
  readonly asset: string;
  readonly pay_to: string;
  readonly amount: string;
  readonly payout_id: string;
  readonly max_timeout_seconds: number;
  readonly confirmations: number;
  readonly usd_per_token_atto: string;
  readonly rate_source: string;
  readonly rate_observed_at: Date;
};

// Of many intents at once; each is read by its own key, as if it were alone.
const LOAD_ACCEPTANCES = {
  name: 'load-acceptances',
  text: `
    select wanted.place::integer as place, offered.*
    from unnest($1::text[], $2::text[], $3::text[]) with ordinality as wanted (account_id, mode, intent_id, place)
    cross join lateral (
      select position, scheme, network, token_shortcode, asset, pay_to, amount, payout_id, max_timeout_seconds,
        confirmations, usd_per_token_atto, rate_source, rate_observed_at
      from svc.acceptances acceptance
      where acceptance.account_id = wanted.account_id and acceptance.mode = wanted.mode
        and acceptance.intent_id = wanted.intent_id
      order by position
      offset 0
    ) offered
    order by wanted.place, offered.position`,
};

type Owner = Pick<Caller, 'accountId' | 'mode'>;
export type WantedAcceptances = { readonly caller: Owner; readonly intentId: Id<'paymentIntent'> };

/** What an intent offered, as it was offered. */
export async function loadAcceptances(
  pool: pg.Pool | pg.ClientBase,
  caller: Owner,
  intentId: Id<'paymentIntent'>,
): Promise<readonly StoredAcceptance[]> {
  const [offered = []] = await loadAcceptancesOfMany(pool, [{ caller, intentId }]);
  return offered;
}

/** In the order of the intents. */
export async function loadAcceptancesOfMany(
  pool: pg.Pool | pg.ClientBase,
  wanted: readonly WantedAcceptances[],
): Promise<readonly (readonly StoredAcceptance[])[]> {
  const { rows } = await pool.query<Row & { place: number }>({
    ...LOAD_ACCEPTANCES,
    values: [
      wanted.map(({ caller }) => caller.accountId),
      wanted.map(({ caller }) => caller.mode),
      wanted.map(({ intentId }) => intentId),
    ],
  });
  const byPlace = Map.groupBy(rows, ({ place }) => place);
  return wanted.map((_, index) => (byPlace.get(index + 1) ?? []).map(acceptanceOf));
}

function acceptanceOf(row: Row): StoredAcceptance {
  const known = TOKENS.find(({ shortcode }) => shortcode === row.token_shortcode);
  if (known === undefined) throw new Error(`token ${row.token_shortcode} was offered and is no longer known`);
  return {
    position: row.position,
    scheme: row.scheme,
    network: row.network,
    // The address is the one that was offered, should the catalogue have changed since.
    token: known.address === row.asset ? known : { ...known, address: row.asset },
    payTo: row.pay_to,
    amount: atomicAmount(BigInt(row.amount)),
    payoutId: BigInt(row.payout_id),
    maxTimeoutSeconds: row.max_timeout_seconds,
    confirmations: row.confirmations,
    rate: rateOf(row, known.unit),
  };
}

function rateOf(row: Row, token: Token): Rate {
  const parsed = parseRate({
    token,
    usdPerToken: printUsd(usd(BigInt(row.usd_per_token_atto))),
    source: row.rate_source,
    observedAtMs: row.rate_observed_at.getTime(),
  });
  if (!parsed.ok) throw new Error(`a stored rate is ${parsed.code}`);
  return parsed.rate;
}
