import {
  type Caller,
  type ClaimOutcome,
  INTENT_TRANSITIONS,
  isoTime,
  normalizeAddress,
  PAYABLE_INTENT,
  PAYMENT_STATUS,
  type PaymentClaim,
  SETTLEMENT_STATUS,
} from '@svc-pay/core';
import { type Id, idBound } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { bytesOfHex } from '../database/bytes-of-hex.ts';
import { sameNames } from '../database/insert-text.ts';
import { equalWithoutPruning, isInSet, ONE_BY_KEY, withoutIndex } from '../database/planner.ts';
import { columnArrays, namedParameters } from '../database/statement-parameters.ts';
import { sqlIs, sqlStep } from '../database/status-sql.ts';
import { insertAuthorization, insertClaim } from './insert-authorization.ts';
import { insertPayment } from './insert-payment.ts';
import { transferColumn } from './lane-item-row.ts';
import { soloPayer } from './solo-payers.ts';

const GIVEN = namedParameters({
  now: 'timestamptz',
  pending_since: 'text',
  pending_until: 'text',
  first_intent: 'text',
  last_intent: 'text',
});
const { now, pending_since, pending_until, first_intent, last_intent } = GIVEN.at;

const ASKED = columnArrays<PaymentClaim>(
  {
    account_id: ['text', ({ caller }) => caller.accountId],
    mode: ['text', ({ caller }) => caller.mode],
    intent_id: ['text', ({ intentId }) => intentId],
    claim_key: ['bytea', ({ claimKey }) => Buffer.from(claimKey)],
    network: ['text', ({ acceptance }) => acceptance.network],
    asset: ['text', ({ acceptance }) => acceptance.token.address],
    payer: ['text', ({ authorization }) => normalizeAddress(authorization.from)],
    nonce: ['bytea', ({ authorization }) => bytesOfHex(authorization.nonce)],
    payment_id: ['text', ({ paymentId }) => paymentId],
    kind: ['text', ({ kind }) => kind],
    recipient: ['text', ({ acceptance }) => acceptance.payTo],
    cap: ['numeric', ({ acceptance }) => acceptance.amount.toString()],
    valid_after: ['bigint', ({ authorization }) => authorization.validAfter],
    valid_before: ['bigint', ({ authorization }) => authorization.validBefore],
    signature: ['bytea', ({ signature }) => bytesOfHex(signature)],
    payout_id: ['bigint', ({ acceptance }) => acceptance.payoutId.toString()],
    token_shortcode: ['text', ({ acceptance }) => acceptance.token.shortcode],
    usd_per_token_atto: ['numeric', ({ acceptance }) => acceptance.rate.usdPerToken.toString()],
    by_contract: ['boolean', ({ byContract }) => byContract],
    code_hash: ['bytea', ({ codeHash }) => (codeHash === undefined ? null : bytesOfHex(codeHash))],
    confirmations: ['integer', ({ acceptance }) => acceptance.confirmations],
    transfer: ['jsonb', ({ transfer }) => transferColumn(transfer)],
    bound_relayer: ['text', ({ transfer }) => transfer?.relayer ?? null],
    direct: ['boolean', ({ direct }) => direct !== undefined],
    bound: ['boolean', ({ direct }) => direct?.bound ?? false],
    unused_at_block: ['bigint', ({ direct }) => direct?.atBlock.toString() ?? null],
    used: ['boolean', ({ direct }) => direct?.used ?? false],
    unsettled_limit: ['numeric', ({ unsettledLimit }) => unsettledLimit?.toString() ?? null],
  },
  GIVEN.next,
);

const SOLO_PAYER = soloPayer({ network: 'won.network', payer: 'won.payer', byContract: 'won.by_contract', now });

/** Pending payments are younger: an up-to authorization, the longest of all, lives for seven days. */
const PENDING_MS = 8 * 86_400_000;
/** Clocks of API processes may differ. Months behind it are not looked at. */
const AHEAD_MS = 86_400_000;
/** Of a payer with more pending payments in a token the largest are summed. */
const MOST_SUMMED = 100;
// What the payer has pending in the token. Payments that are claimed at the same moment do not see each other.
const OVER_LIMIT = `
  asked.unsettled_limit is not null and coalesce((
    select sum(pending.amount) + asked.cap > asked.unsettled_limit from (
      select amount from svc.payments
      where network = asked.network and payer = asked.payer and asset = asked.asset
        and status ${sqlIs(PAYMENT_STATUS.pending)} and id > ${pending_since} and id < ${pending_until}
      order by amount desc limit ${MOST_SUMMED}
    ) pending
  ), false)`;

const CLAIMED_INTENT = sqlStep(INTENT_TRANSITIONS, PAYABLE_INTENT, 'processing');

// Without a choice of partitions at run time (planner rule 14), in the partitions between the first intent of the group and the
// last.
const PAYABLE = `
  select intent_code, expires_at from svc.intents intent
  where intent.account_id = asked.account_id and intent.mode = asked.mode
    and ${equalWithoutPruning('intent.id', 'asked.intent_ids')}
    and intent.id >= ${first_intent} and intent.id <= ${last_intent}
    and ${withoutIndex('intent.status')} ${CLAIMED_INTENT.from}
  ${ONE_BY_KEY}`;
const ASKED_SET = `asked as materialized (select *, array[intent_id] as intent_ids from ${ASKED.unnest('asked')})`;

const SIGNED = {
  ...sameNames('claim_key', 'account_id', 'mode', 'intent_id', 'network', 'asset', 'payer', 'nonce'),
  created_at: now,
};

// Claims payments of many intents, each independent of the others. Each intent is locked first and its status is
// checked under the lock; every other row is written only if the claim was inserted. Two headers for one intent meet at
// the lock, one authorization for two intents meets at the claim. Locks are taken in the order of intent ids and claims
// in the order of claim keys, so that two processes never deadlock.
const CLAIM = {
  name: 'claim-payment',
  text: `
    with ${ASKED_SET},
    locked as materialized (
      select asked.*, intent.intent_code, ${OVER_LIMIT} as over_limit from asked
      cross join lateral (${PAYABLE} for update) intent
      where intent.expires_at > ${now}
    ),
    claimed as (
      ${insertClaim({ ...SIGNED, payment_id: 'payment_id' }, 'from locked where not over_limit')}
      order by claim_key
      on conflict do nothing
      returning payment_id
    ),
    won as materialized (select locked.* from locked where ${isInSet('payment_id', 'select payment_id from claimed')}),
    written_authorization as (
      ${insertAuthorization(
        {
          ...SIGNED,
          ...sameNames(
            'kind',
            'recipient',
            'cap',
            'valid_after',
            'valid_before',
            'signature',
            'by_contract',
            'code_hash',
            'transfer',
            'direct',
            'bound',
            'unused_at_block',
          ),
        },
        'from won',
      )}
    ),
    ${insertPayment(
      {
        ...sameNames('account_id', 'mode', 'payment_id', 'intent_id', 'intent_code', 'claim_key', 'network', 'asset'),
        ...sameNames('token_shortcode', 'payer', 'cap', 'payout_id', 'bound_relayer', 'direct', 'usd_per_token_atto'),
        settled_amount: 'cap',
        solo_payer: `case when bound_relayer is null then ${SOLO_PAYER} end`,
        now,
        status: SETTLEMENT_STATUS.queued,
        // Somebody used the bound nonce: the chain reader completes the payment from the token's logs.
        held_if: 'used',
      },
      'won',
    )}
    -- No bounds beside the id: a choice of partitions both before and while the statement runs is wrong after a recheck.
    update svc.intents intent
    set status = ${CLAIMED_INTENT.to}, payment_id = won.payment_id, amount = won.cap, ledger_id = won.asset,
      network = won.network, token_shortcode = won.token_shortcode, confirmations = won.confirmations,
      version = version + 1, updated_at = ${now}
    from won
    where intent.account_id = won.account_id and intent.mode = won.mode and intent.id = won.intent_id
    returning won.payment_id`,
};

// Of claims that were not won: whose payer was over the limit.
const FIND_OVER_LIMIT = {
  name: 'find-over-limit',
  text: `
    with ${ASKED_SET}
    select asked.payment_id from asked cross join lateral (${PAYABLE}) intent
    where intent.expires_at > ${now} and ${OVER_LIMIT}`,
};

const FIND_CLAIM = {
  name: 'find-claim',
  text: `
    select account_id = $2 and mode = $3 and intent_id = $4 as same, payment_id
    from svc.claims where claim_key = $1`,
};

/** Outcomes are in the order of `claims`. No two claims may name one intent. All use one time, the latest `nowMs`. */
export async function claimPayments(pool: pg.Pool, claims: readonly PaymentClaim[]): Promise<readonly ClaimOutcome[]> {
  const { rows } = await pool.query<PaymentRow>({ ...CLAIM, values: valuesOf(claims) });
  const won = new Set(rows.map(({ payment_id }) => payment_id));
  const held = await Promise.all(
    claims.map(async (claim) =>
      won.has(claim.paymentId) ? undefined : holderOf(pool, claim.caller, claim.intentId, claim.claimKey),
    ),
  );
  const limited = claims.filter(
    ({ paymentId, unsettledLimit }, index) =>
      unsettledLimit !== undefined && !won.has(paymentId) && held[index] === undefined,
  );
  const overLimit = limited.length === 0 ? new Set<string>() : await findOverLimit(pool, limited);
  return claims.map((claim, index): ClaimOutcome => {
    if (won.has(claim.paymentId)) return { outcome: 'claimed' };
    const holder = held[index];
    if (holder === undefined) return { outcome: overLimit.has(claim.paymentId) ? 'payer_over_limit' : 'intent_taken' };
    // Of a run of the same group whose outcome did not arrive.
    if (holder.same && holder.payment_id === claim.paymentId) return { outcome: 'claimed' };
    return holder.same ? { outcome: 'claimed_before', paymentId: holder.payment_id } : { outcome: 'bound_elsewhere' };
  });
}

async function findOverLimit(pool: pg.Pool, claims: readonly PaymentClaim[]): Promise<ReadonlySet<string>> {
  const { rows } = await pool.query<PaymentRow>({ ...FIND_OVER_LIMIT, values: valuesOf(claims) });
  return new Set(rows.map(({ payment_id }) => payment_id));
}

function valuesOf(claims: readonly PaymentClaim[]): unknown[] {
  const nowMs = Math.max(...claims.map((claim) => claim.nowMs));
  const inOrder = claims.toSorted(byIntent);
  return [
    ...GIVEN.values({
      now: isoTime(nowMs),
      pending_since: idBound('payment', nowMs - PENDING_MS),
      pending_until: idBound('payment', nowMs + AHEAD_MS),
      first_intent: inOrder.at(0)?.intentId ?? null,
      last_intent: inOrder.at(-1)?.intentId ?? null,
    }),
    ...ASKED.values(inOrder),
  ];
}

export async function claimPayment(pool: pg.Pool, claim: PaymentClaim): Promise<ClaimOutcome> {
  const [outcome] = await claimPayments(pool, [claim]);
  if (outcome === undefined)
    throw new Error(`the claim of payment ${claim.paymentId} for intent ${claim.intentId} has no outcome`);
  return outcome;
}

const byIntent = (one: PaymentClaim, other: PaymentClaim) =>
  one.intentId === other.intentId ? 0 : one.intentId < other.intentId ? -1 : 1;

export async function findClaim(
  pool: pg.Pool,
  caller: Caller,
  intentId: Id<'paymentIntent'>,
  key: Uint8Array,
): Promise<'here' | 'elsewhere' | undefined> {
  const held = await holderOf(pool, caller, intentId, key);
  return held && (held.same ? 'here' : 'elsewhere');
}

type PaymentRow = { readonly payment_id: Id<'payment'> };
type Holder = { readonly same: boolean; readonly payment_id: Id<'payment'> | null };

async function holderOf(
  pool: pg.Pool,
  { accountId, mode }: Caller,
  intentId: Id<'paymentIntent'>,
  key: Uint8Array,
): Promise<Holder | undefined> {
  const { rows } = await pool.query<Holder>({ ...FIND_CLAIM, values: [key, accountId, mode, intentId] });
  return rows[0];
}
