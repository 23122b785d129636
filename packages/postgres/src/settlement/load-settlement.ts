// Loads an intent, its latest payment and the payment of one authorization. A settle result is made from these alone.
import {
  type AwaitedPayment,
  type Caller,
  normalizeAddress,
  PAYMENT_STATUS,
  type PaymentProgress,
  SETTLEMENT_STATUS,
  type SettlementRead,
  type SubmittedAuthorization,
  type SubmittedPayment,
  type SubmittedTransfer,
} from '@svc-pay/core';
import { atomicAmount } from '@svc-pay/money';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { offeredBudgetJoin, type PayerBudgetRow, payerBudgetJoin, payerBudgetOf } from '../budget/payer-budget.ts';
import { bytesOfHex } from '../database/bytes-of-hex.ts';
import { ONE_BY_KEY } from '../database/planner.ts';
import { columnArrays } from '../database/statement-parameters.ts';
import { sqlIs, sqlIsNot } from '../database/status-sql.ts';
import { type IntentRow, intentOf, type PaymentRow, paymentJson, paymentOf } from '../intent/load-intent.ts';

export type ProgressRow = {
  readonly payment: PaymentRow;
  readonly failure_code: string | null;
  readonly external_cost_amount: string | null;
  readonly fee_amount: string | null;
  readonly refund_amount: string | null;
  readonly refusal: string | null;
};

/** SQL for the progress of the row `payment`, for `progressOf`. */
const progressJson = (refusal: string) => `json_build_object(
        'payment', ${paymentJson('payment')},
        'failure_code', payment.failure_code, 'external_cost_amount', payment.external_cost_amount::text,
        'fee_amount', payment.fee_amount::text, 'refund_amount', payment.refund_amount::text,
        'refusal', ${refusal}
      )`;

/** SQL join `step`: a payment with its settlement, each looked up by its whole key. */
export const paymentStep = (paymentId: string, accountId = '$1', mode = '$2') => `
    left join lateral (
      select settlement.claim_key, ${progressJson('settlement.refusal')} as progress
      from svc.payments payment
      left join lateral (
        select claim_key, case when settlement.status ${sqlIs(SETTLEMENT_STATUS.held)} then refusal end as refusal
        from svc.settlements settlement
        where settlement.account_id = ${accountId} and settlement.mode = ${mode} and settlement.payment_id = payment.id
        ${ONE_BY_KEY}
      ) settlement on true
      where payment.account_id = ${accountId} and payment.mode = ${mode} and payment.id = ${paymentId}
      ${ONE_BY_KEY}
    ) step on true`;

export type WantedSettlement = {
  readonly caller: Caller;
  readonly intentId: Id<'paymentIntent'>;
  readonly submitted: SubmittedAuthorization | null;
};

const WANTED = columnArrays<WantedSettlement>({
  account_id: ['text', ({ caller }) => caller.accountId],
  mode: ['text', ({ caller }) => caller.mode],
  intent_id: ['text', ({ intentId }) => intentId],
  payer: ['text', ({ submitted }) => submitted && normalizeAddress(submitted.from)],
  nonce: ['bytea', ({ submitted }) => submitted && bytesOfHex(submitted.nonce)],
  network: ['text', ({ submitted }) => submitted && submitted.network],
  recipient: ['text', ({ submitted }) => submitted && submitted.to.toLowerCase()],
  cap: ['numeric', ({ submitted }) => submitted && submitted.value],
  valid_after: ['bigint', ({ submitted }) => submitted && submitted.validAfter],
  valid_before: ['bigint', ({ submitted }) => submitted && submitted.validBefore],
});

/** SQL: does the row `signed` match the whole submitted message? Only the header that was claimed finds its payment. */
export const isSent = (
  submitted: Readonly<
    Record<'payer' | 'nonce' | 'network' | 'recipient' | 'cap' | 'valid_after' | 'valid_before', string>
  >,
) => `signed.payer = ${submitted.payer} and signed.nonce = ${submitted.nonce} and signed.network = ${submitted.network}
        and lower(signed.recipient) = ${submitted.recipient} and signed.cap = ${submitted.cap}
        and signed.valid_after = ${submitted.valid_after} and signed.valid_before = ${submitted.valid_before}`;

// Loads many headers in one statement, each by its own keys and independent of the others.
const LOAD_SETTLEMENTS = {
  name: 'load-settlements',
  text: `
    select wanted.place::integer as place, intent.*, null as confirmed_payer, step.progress as latest,
      signed.claim_key as own_claim, step.claim_key = signed.claim_key as own_is_latest, budget.payer_budget
    from ${WANTED.unnestWithPlace('wanted')}
    cross join lateral (
      select * from svc.intents intent
      where intent.account_id = wanted.account_id and intent.mode = wanted.mode and intent.id = wanted.intent_id
      ${ONE_BY_KEY}
    ) intent
    ${paymentStep('intent.payment_id', 'wanted.account_id', 'wanted.mode')}
    left join lateral (
      select claim_key from svc.authorizations signed
      where signed.account_id = wanted.account_id and signed.mode = wanted.mode and signed.intent_id = wanted.intent_id
        and ${isSent({
          payer: 'wanted.payer',
          nonce: 'wanted.nonce',
          network: 'wanted.network',
          recipient: 'wanted.recipient',
          cap: 'wanted.cap',
          valid_after: 'wanted.valid_after',
          valid_before: 'wanted.valid_before',
        })}
      ${ONE_BY_KEY}
    ) signed on true
    ${payerBudgetJoin('wanted.network', 'wanted.payer')}`,
};

export type WantedTransfer = {
  readonly caller: Caller;
  readonly intentId: Id<'paymentIntent'>;
  readonly submitted: SubmittedTransfer;
};

const TRANSFERS = columnArrays<WantedTransfer>({
  account_id: ['text', ({ caller }) => caller.accountId],
  mode: ['text', ({ caller }) => caller.mode],
  intent_id: ['text', ({ intentId }) => intentId],
  payer: ['text', ({ submitted }) => submitted.payer],
  nonce: ['bytea', ({ submitted }) => Buffer.from(submitted.messageHash, 'hex')],
});
// A Solana transaction is matched by its message hash (`nonce`), which covers the whole message.
const LOAD_TRANSFERS = {
  name: 'load-settlement-transfers',
  text: `
    select wanted.place::integer as place, intent.*, null as confirmed_payer, step.progress as latest,
      signed.claim_key as own_claim, step.claim_key = signed.claim_key as own_is_latest, budget.payer_budget
    from ${TRANSFERS.unnestWithPlace('wanted')}
    cross join lateral (
      select * from svc.intents intent
      where intent.account_id = wanted.account_id and intent.mode = wanted.mode and intent.id = wanted.intent_id
      ${ONE_BY_KEY}
    ) intent
    ${paymentStep('intent.payment_id', 'wanted.account_id', 'wanted.mode')}
    left join lateral (
      select claim_key from svc.authorizations signed
      where signed.account_id = wanted.account_id and signed.mode = wanted.mode and signed.intent_id = wanted.intent_id
        and signed.payer = wanted.payer and signed.nonce = wanted.nonce and signed.kind = 'solana_transaction'
      ${ONE_BY_KEY}
    ) signed on true
    ${offeredBudgetJoin(
      'account_id = wanted.account_id and mode = wanted.mode and intent_id = wanted.intent_id',
      'wanted.payer',
    )}`,
};

const LOAD_CLAIMED = {
  name: 'load-claimed-payment',
  text: `
    select step.progress from svc.claims claim
    ${paymentStep('claim.payment_id')}
    where claim.claim_key = $3 and claim.account_id = $1 and claim.mode = $2 and claim.intent_id = $4`,
};

type SettlementRow = IntentRow & {
  readonly latest: ProgressRow | null;
  readonly own_claim: Buffer | null;
  readonly own_is_latest: boolean | null;
  readonly payer_budget?: PayerBudgetRow | null;
};

/** Results are in the order of `wanted`; undefined for an intent that the caller does not have. */
export async function loadSettlements(
  pool: pg.Pool,
  wanted: readonly WantedSettlement[],
): Promise<readonly (SettlementRead | undefined)[]> {
  return readAll(pool, wanted, { ...LOAD_SETTLEMENTS, values: WANTED.values(wanted) });
}

/** The same by signed Solana transactions. */
export async function loadTransfers(
  pool: pg.Pool,
  wanted: readonly WantedTransfer[],
): Promise<readonly (SettlementRead | undefined)[]> {
  return readAll(pool, wanted, { ...LOAD_TRANSFERS, values: TRANSFERS.values(wanted) });
}

async function readAll(
  pool: pg.Pool,
  wanted: readonly Pick<WantedSettlement, 'caller'>[],
  query: pg.QueryConfig,
): Promise<readonly (SettlementRead | undefined)[]> {
  const { rows } = await pool.query<SettlementRow & { place: number }>(query);
  const byPlace = new Map(rows.map((row) => [row.place, row]));
  return Promise.all(
    wanted.map(async ({ caller }, index) => {
      const row = byPlace.get(index + 1);
      return row && readOf(pool, caller, row);
    }),
  );
}

export function loadSettlement(
  pool: pg.Pool,
  caller: Caller,
  intentId: Id<'paymentIntent'>,
  submitted: SubmittedPayment | null,
  loadOne = async (wanted: WantedSettlement) => (await loadSettlements(pool, [wanted]))[0],
  loadTransfer = async (wanted: WantedTransfer) => (await loadTransfers(pool, [wanted]))[0],
): Promise<SettlementRead | undefined> {
  return submitted !== null && 'payer' in submitted
    ? loadTransfer({ caller, intentId, submitted })
    : loadOne({ caller, intentId, submitted });
}

async function readOf(pool: pg.Pool, caller: Caller, row: SettlementRow): Promise<SettlementRead> {
  const latest = row.latest && progressOf(row.latest);
  const intent = intentOf(row);
  const { own_claim: claim, own_is_latest: isLatest } = row;
  // A payment that is no longer the intent's latest already has its result, so a second read can't contradict the first.
  const own = claim === null ? null : isLatest === true ? latest : await loadClaimed(pool, caller, intent.id, claim);
  return { intent, latest, own, ...payerBudgetOf(row.payer_budget) };
}

const AWAITED = columnArrays<AwaitedPayment>({
  account_id: ['text', ({ caller }) => caller.accountId],
  mode: ['text', ({ caller }) => caller.mode],
  intent_id: ['text', ({ intentId }) => intentId],
  payment_id: ['text', ({ paymentId }) => paymentId],
});

// A payment with a result has no refusal: that is of a settlement that is held.
const LOAD_RESULTS = {
  name: 'load-results',
  text: `
    select wanted.place::integer as place, intent.*, null as confirmed_payer, result.progress
    from ${AWAITED.unnestWithPlace('wanted')}
    cross join lateral (
      select * from svc.intents intent
      where intent.account_id = wanted.account_id and intent.mode = wanted.mode and intent.id = wanted.intent_id
      ${ONE_BY_KEY}
    ) intent
    cross join lateral (
      select ${progressJson('null')} as progress from svc.payments payment
      where payment.account_id = wanted.account_id and payment.mode = wanted.mode and payment.id = wanted.payment_id
        and payment.status ${sqlIsNot(PAYMENT_STATUS.pending)}
      ${ONE_BY_KEY}
    ) result
    where intent.payment_id = wanted.payment_id`,
};

/** In the order of `awaited`; undefined for a payment that is pending, or that is not the latest of its intent. */
export async function loadResults(
  pool: pg.Pool,
  awaited: readonly AwaitedPayment[],
): Promise<readonly (SettlementRead | undefined)[]> {
  const values = AWAITED.values(awaited);
  const { rows } = await pool.query<IntentRow & { place: number; progress: ProgressRow }>({ ...LOAD_RESULTS, values });
  const byPlace = new Map(rows.map((row) => [row.place, row]));
  return awaited.map((_, index) => {
    const row = byPlace.get(index + 1);
    if (row === undefined) return undefined;
    const latest = progressOf(row.progress);
    return { intent: intentOf(row), latest, own: latest };
  });
}

/** Null where the claim is not this intent's, or has no payment. */
export async function loadClaimed(
  pool: pg.Pool,
  { accountId, mode }: Caller,
  intentId: Id<'paymentIntent'>,
  claimKey: Uint8Array,
): Promise<PaymentProgress | null> {
  const values = [accountId, mode, claimKey, intentId];
  const { rows } = await pool.query<{ progress: ProgressRow | null }>({ ...LOAD_CLAIMED, values });
  const progress = rows[0]?.progress ?? null;
  return progress && progressOf(progress);
}

export function progressOf(row: ProgressRow): PaymentProgress {
  const amountOf = (text: string | null) => (text === null ? null : atomicAmount(BigInt(text)));
  return {
    payment: paymentOf(row.payment),
    failureCode: row.failure_code,
    externalCostAmount: amountOf(row.external_cost_amount),
    feeAmount: amountOf(row.fee_amount),
    refundAmount: amountOf(row.refund_amount),
    ...(row.refusal !== null && { refusal: row.refusal }),
  };
}
