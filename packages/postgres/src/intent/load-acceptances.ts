import { type Caller, findToken, type PaidTerms, type StoredAcceptance } from '@svc-pay/core';
import { atomicAmount, parseRate, printUsd, type Rate, type Split, type Token, usd, usdMicros } from '@svc-pay/money';
import { familyOf, type NetworkId, type Scheme } from '@svc-pay/protocol';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { NOT_MERGED } from '../database/planner.ts';
import { type DirectColumns, readDirect } from '../payout/direct-columns.ts';
import { PAYOUT_WITHDRAWN } from '../payout/withdrawn.ts';

/** What money is judged by; `PAYOUT_OF_OFFER` adds what the payout says. */
export type PaidTermsRow = {
  readonly position: number;
  readonly scheme: Scheme;
  readonly network: NetworkId;
  readonly token_shortcode: string;
  readonly asset: string;
  readonly pay_to: string;
  readonly amount: string;
  readonly payout_id: string;
  readonly confirmations: number;
  readonly price_ends_at: Date | null;
  readonly payout_withdrawn: boolean;
  /** Null, like its neighbours, where no payout has the recipient's address: on Solana it has the fee account's. */
  readonly payout_kind: DirectColumns['kind'] | null;
  readonly activation: unknown;
  readonly merchant: string;
  readonly fee_bps: number;
  readonly splits: readonly Split[];
};

export type PayoutRow = Pick<
  PaidTermsRow,
  'network' | 'payout_withdrawn' | 'payout_kind' | 'activation' | 'merchant' | 'fee_bps' | 'splits'
>;

type Row = PaidTermsRow & {
  readonly max_timeout_seconds: number;
  readonly usd_per_token_atto: string;
  readonly rate_source: string;
  readonly rate_observed_at: Date;
  readonly minimum_usd_micros: string | null;
};

/** SQL: the payout of the row `offered`, as `payout`. `owner` is the row that has the account and the mode. */
export const PAYOUT_OF_OFFER = (owner: string): string => `
    left join lateral (
      -- On Solana the recipient is the merchant, and the payout is withdrawn unless one of the account pays him.
      select coalesce(${PAYOUT_WITHDRAWN('payout')}, not exists (
          select from svc.payouts paying
          where paying.account_id = ${owner}.account_id and paying.mode = ${owner}.mode
            and paying.network = offered.network and paying.payout_id = offered.payout_id
            and paying.merchant = offered.pay_to and not ${PAYOUT_WITHDRAWN('paying')}
        )) as payout_withdrawn,
        payout.kind as payout_kind, payout.activation, payout.merchant, payout.fee_bps, payout.splits
      from (select) as one
      left join svc.payouts payout
        on payout.network = offered.network and payout.processor = lower(offered.pay_to)
          and payout.payout_id = offered.payout_id
    ) payout on true`;

// Loads the acceptances of many intents in one statement, each by its own key.
const LOAD_ACCEPTANCES = {
  name: 'load-acceptances',
  text: `
    select wanted.place::integer as place, offered.*, payout.*
    from unnest($1::text[], $2::text[], $3::text[]) with ordinality as wanted (account_id, mode, intent_id, place)
    cross join lateral (
      select position, scheme, network, token_shortcode, asset, pay_to, amount, payout_id, max_timeout_seconds,
        confirmations, usd_per_token_atto, rate_source, rate_observed_at, minimum_usd_micros, price_ends_at
      from svc.acceptances acceptance
      where acceptance.account_id = wanted.account_id and acceptance.mode = wanted.mode
        and acceptance.intent_id = wanted.intent_id and (acceptance.flow = 'x402' or $4)
      order by position
      ${NOT_MERGED}
    ) offered
    ${PAYOUT_OF_OFFER('wanted')}
    order by wanted.place, offered.position`,
};

type Owner = Pick<Caller, 'accountId' | 'mode'>;
export type WantedAcceptances = { readonly caller: Owner; readonly intentId: Id<'paymentIntent'> };

/** `x402`: what a header may settle. `any`: what money is attributed to, whatever the flow. */
export type WantedFlow = 'x402' | 'any';

/** The acceptances of an intent, as they were offered to be signed. */
export async function loadAcceptances(
  pool: pg.Pool | pg.ClientBase,
  caller: Owner,
  intentId: Id<'paymentIntent'>,
): Promise<readonly StoredAcceptance[]> {
  const [offered = []] = await loadAcceptancesOfMany(pool, [{ caller, intentId }], 'x402');
  return offered;
}

/** Results are in the order of `wanted`. */
export async function loadAcceptancesOfMany(
  pool: pg.Pool | pg.ClientBase,
  wanted: readonly WantedAcceptances[],
  flow: WantedFlow,
): Promise<readonly (readonly StoredAcceptance[])[]> {
  const { rows } = await pool.query<Row & { place: number }>({
    ...LOAD_ACCEPTANCES,
    values: [
      wanted.map(({ caller }) => caller.accountId),
      wanted.map(({ caller }) => caller.mode),
      wanted.map(({ intentId }) => intentId),
      flow === 'any',
    ],
  });
  const byPlace = Map.groupBy(rows, ({ place }) => place);
  return wanted.map((_, index) => (byPlace.get(index + 1) ?? []).map(acceptanceOf));
}

/** What was offered can't be understood any more. A database that does not answer is another error. */
export class UnreadableAcceptance extends Error {
  override readonly name = 'UnreadableAcceptance';
}

function acceptanceOf(row: Row): StoredAcceptance {
  const terms = paidTermsOf(row);
  return {
    ...terms,
    maxTimeoutSeconds: row.max_timeout_seconds,
    rate: rateOf(row, terms.token.unit),
    minimumUsdMicros: row.minimum_usd_micros === null ? null : usdMicros(BigInt(row.minimum_usd_micros)),
  };
}

export function paidTermsOf(row: PaidTermsRow): PaidTerms {
  const known = findToken(row.token_shortcode);
  if (known === undefined)
    throw new UnreadableAcceptance(
      `token ${row.token_shortcode} on ${row.network} was offered, and the catalogue no longer has it`,
    );
  return {
    position: row.position,
    scheme: row.scheme,
    network: row.network,
    // The catalogue's address may have changed since: the offered address counts.
    token: known.address === row.asset ? known : { ...known, address: row.asset },
    payTo: row.pay_to,
    amount: atomicAmount(BigInt(row.amount)),
    payoutId: BigInt(row.payout_id),
    confirmations: row.confirmations,
    ...payoutStateOf(row),
    priceEndsAtMs: row.price_ends_at?.getTime() ?? null,
  };
}

export function payoutStateOf(row: PayoutRow): Pick<PaidTerms, 'direct' | 'payoutWithdrawn' | 'shares'> {
  const { payout_kind: kind, activation, merchant, fee_bps: feeBps, splits } = row;
  // On EVM a payout that is gone could have been anybody's.
  if (kind === null) return row.payout_withdrawn || familyOf(row.network) === 'evm' ? { payoutWithdrawn: true } : {};
  const { direct, unreadable } = readDirect({ kind, activation });
  const withdrawn = row.payout_withdrawn || unreadable === true;
  const shares = { merchant, feeBps, splits };
  return { shares, ...(direct && { direct }), ...(withdrawn && { payoutWithdrawn: true }) };
}

function rateOf(row: Row, token: Token): Rate {
  const parsed = parseRate({
    token,
    usdPerToken: printUsd(usd(BigInt(row.usd_per_token_atto))),
    source: row.rate_source,
    observedAtMs: row.rate_observed_at.getTime(),
  });
  if (!parsed.ok)
    throw new UnreadableAcceptance(
      `the stored rate of token ${row.token_shortcode} on ${row.network} is ${parsed.code}`,
    );
  return parsed.rate;
}
