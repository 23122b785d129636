// What stays of an intent that left unpaid: what a late payment is judged by.
import { type CreditedIntent, INTENT_STATUS, isoTime, type PaidTerms } from '@svc-pay/core';
import type { Id } from '@svc-pay/protocol/ids';
import { timeOfId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { loadAcceptancesOfMany, PAYOUT_OF_OFFER, type PaidTermsRow, paidTermsOf } from './load-acceptances.ts';
import { type IntentToChange, lockIntent } from './load-intent.ts';

type LateTerms = { readonly intent: CreditedIntent; readonly offered: readonly PaidTerms[] };

type Row = { readonly intent_code: string; readonly expires_at: Date; readonly expected_sender: string | null } & (
  | PaidTermsRow
  /** The intent offered nothing. */
  | { readonly position: null }
);

const LOAD = {
  name: 'load-late-terms',
  text: `
    select late.intent_code, late.expires_at, late.expected_sender, offered.*, payout.*
    from svc.late_terms late
    join svc.intent_codes known using (intent_code)
    left join lateral (
      select (given.place - 1)::integer as position, given.amount::text, given.price_ends_at, way.scheme, way.network,
        way.token_shortcode, way.asset, way.pay_to, way.payout_id, way.confirmations
      from unnest(late.ways, late.amounts, late.price_ends_at)
        with ordinality as given (way_id, amount, price_ends_at, place)
      join svc.late_ways way on way.id = given.way_id
    ) offered on true
    ${PAYOUT_OF_OFFER('known')}
    where late.intent_code = any ($1::bigint[])
    order by late.intent_code, offered.position`,
};

/** Terms by intent code. Codes of intents that are there, or are none of ours, are left out. */
export async function loadLateTerms(
  client: pg.Pool | pg.ClientBase,
  codes: readonly bigint[],
): Promise<ReadonlyMap<bigint, LateTerms>> {
  if (codes.length === 0) return new Map();
  const { rows } = await client.query<Row>({ ...LOAD, values: [codes.map(String)] });
  const byCode = Map.groupBy(rows, ({ intent_code }) => BigInt(intent_code));
  return new Map([...byCode].map(([code, terms]) => [code, lateTermsOf(terms)]));
}

function lateTermsOf(rows: readonly Row[]): LateTerms {
  const [first] = rows;
  if (first === undefined) throw new Error('late terms without a row');
  const { expires_at, expected_sender: expectedSender } = first;
  return {
    intent: { status: INTENT_STATUS.canceled, expiresAtMs: expires_at.getTime(), expectedSender },
    offered: rows.flatMap((row) => (row.position === null ? [] : [paidTermsOf(row)])),
  };
}

type Owner = Pick<IntentToChange['intent'], 'accountId' | 'mode'> & { readonly intentId: Id<'paymentIntent'> };

/** The offer of an intent that is there. One that came back has its terms among the late ones. */
export async function loadPaidTerms(
  client: pg.ClientBase,
  owner: Owner,
  intentCode: bigint,
): Promise<readonly PaidTerms[]> {
  const [offered = []] = await loadAcceptancesOfMany(client, [{ caller: owner, intentId: owner.intentId }], 'any');
  return offered.length > 0 ? offered : ((await loadLateTerms(client, [intentCode])).get(intentCode)?.offered ?? []);
}

/** Inserts the intent again, because a payment of its own names it, and locks it. What its merchant wrote is lost. */
export async function bringBackIntent(
  client: pg.ClientBase,
  owner: Owner,
  intentCode: bigint,
  { position }: Pick<PaidTerms, 'position'>,
  nowMs: number,
): Promise<IntentToChange> {
  await client.query({
    name: 'bring-back-intent',
    text: 'select svc.bring_back_intent($1, $2, $3, $4)',
    values: [intentCode.toString(), position, isoTime(timeOfId(owner.intentId)), isoTime(nowMs)],
  });
  const read = await lockIntent(client, owner, owner.intentId);
  if (read === undefined) throw new Error(`intent ${owner.intentId} did not come back`);
  return read;
}
