// RefundStore in memory: refunds as the API writes them, each write whole or not at all.
import {
  INTENT_STATUS,
  judgeSigned,
  leftToRefund,
  MAX_OPEN_REFUNDS,
  MAX_PREPARED_REFUNDS,
  OPEN_REFUND,
  REFUND_STATUS,
  type RefundAnswer,
  type RefundCaller,
  type RefundStore,
  type RefundToPrepare,
  type StoredRefund,
} from '../index.ts';
import type { AskedRefundRow, RefundTotalsRow } from './memory-refund-tables.ts';
import { refundableOf, storedRefundOf } from './memory-refundable.ts';
import { addLaneRefund } from './memory-refunds.ts';
import type { Statement, Tables } from './memory-tables.ts';

type Refusal = Extract<RefundAnswer, { ok: false }>['code'];

const MOST_LISTED = 100;

const refuse = (code: Refusal): RefundAnswer => ({ ok: false, code });

export function createMemoryRefundStore(tables: Tables, statement: Statement): RefundStore {
  const { askedRefunds } = tables;
  const answer = (row: AskedRefundRow): RefundAnswer => ({ ok: true, refund: storedRefundOf(tables, row) });
  const rowOf = ({ accountId, mode }: RefundCaller, id: string) => {
    const row = askedRefunds.get(id);
    return row?.refund.accountId === accountId && row.refund.mode === mode ? row : undefined;
  };
  return {
    loadRefundable: (caller, paymentId) => statement('loadRefundable', () => refundableOf(tables, caller, paymentId)),
    recordPrepared: (refund, nowMs) =>
      statement('recordPrepared', () => {
        const totals = lockTotals(tables, refund);
        const prepared = new Set<string>([REFUND_STATUS.prepared]);
        const obstacle = obstacleOf(tables, refund, refund.amountAtomic, prepared, MAX_PREPARED_REFUNDS, nowMs);
        if (totals === undefined || obstacle !== undefined) return refuse(obstacle ?? 'refund_payment_not_final');
        if (!isOwnWallet(tables, refund)) return refuse('refund_wallet_unknown');
        if (refund.sequence !== totals.lastSequence + 1) return refuse('refund_superseded');
        const dueAtomic = tables.payments.get(refund.paymentId)?.refundDueAmount ?? null;
        const costly = judgeSigned({ totals, dueAtomic, nextSequence: refund.sequence }, refund.amountAtomic);
        if (costly !== undefined) return refuse(costly);
        const { expiresAtMs, sequence, nonce, amountAtomic } = refund;
        return answer(
          insert(tables, refund, { status: 'prepared', expiresAtMs, sequence, nonce, amountAtomic }, nowMs),
        );
      }),
    submit: (caller, refundId, { signature, byContract }, nowMs) =>
      statement('submitRefund', () => {
        const row = rowOf(caller, refundId);
        if (row === undefined) return refuse('not_found');
        const { status, expiresAtMs, amountAtomic, sequence } = storedRefundOf(tables, row);
        if (status !== REFUND_STATUS.prepared) {
          if (row.signature === signature) return answer(row);
          return refuse(status === REFUND_STATUS.canceled ? 'refund_canceled' : 'refund_already_submitted');
        }
        if ((expiresAtMs ?? 0) <= nowMs) return refuse('refund_canceled');
        const totals = lockTotals(tables, row.refund);
        const obstacle = obstacleOf(tables, row.refund, amountAtomic, OPEN, MAX_OPEN_REFUNDS, nowMs);
        if (totals === undefined || obstacle !== undefined) return refuse(obstacle ?? 'refund_payment_not_final');
        if (sequence !== totals.lastSequence + 1 || isCountedSince(tables, row)) return refuse('refund_superseded');
        Object.assign(row, { signature, byContract, reservedAtomic: amountAtomic });
        row.refund = { ...row.refund, status: 'queued', submittedAtMs: nowMs };
        reserve(tables, row, totals);
        addLaneRefund(tables, row);
        return answer(row);
      }),
    recordReported: ({ reported, amountAtomic, ...refund }, nowMs) =>
      statement('recordReported', () => {
        const isSame = (known: StoredRefund) =>
          known.reported?.transactionId === reported.transactionId && known.reported.logIndex === reported.logIndex;
        return watch(tables, { ...refund, kind: 'reported', reported }, isSame, amountAtomic, nowMs);
      }),
    recordFound: (refund, nowMs) =>
      statement('recordFound', () =>
        watch(tables, { ...refund, reason: null }, ({ sequence }) => sequence === refund.sequence, null, nowMs),
      ),
    cancelPrepared: (caller, refundId, nowMs) =>
      statement('cancelPrepared', () => {
        const row = rowOf(caller, refundId);
        if (row === undefined) return refuse('not_found');
        if (row.refund.status === REFUND_STATUS.prepared) cancelPreparedRow(row, nowMs);
        return row.refund.status === REFUND_STATUS.canceled ? answer(row) : refuse('refund_not_cancelable');
      }),
    load: (caller, refundId) =>
      statement('loadRefund', () => {
        const row = rowOf(caller, refundId);
        return row && storedRefundOf(tables, row);
      }),
    list: (caller, paymentId) =>
      statement('loadRefunds', () => {
        if (refundableOf(tables, caller, paymentId) === undefined) return undefined;
        const own = refundsOfPayment(tables, paymentId);
        const isCanceled = ({ status }: StoredRefund) => Number(status === REFUND_STATUS.canceled);
        return own
          .toSorted((one, other) => isCanceled(one) - isCanceled(other) || (one.id < other.id ? 1 : -1))
          .slice(0, MOST_LISTED);
      }),
  };
}

const OPEN = new Set<string>(OPEN_REFUND);

export function cancelPreparedRow(row: AskedRefundRow, nowMs: number): void {
  row.refund = { ...row.refund, status: 'canceled' };
  row.canceledAtMs = nowMs;
}

/** The merchant signed while the intent was unpaid. Since then this payment was counted for it, or was accepted. */
function isCountedSince({ intents, parts }: Tables, { afterSuccess, refund }: AskedRefundRow): boolean {
  const { intentId, paymentId } = refund;
  const row = intents.get(intentId);
  if (afterSuccess || row?.intent.status !== INTENT_STATUS.completed) return false;
  return row.paymentId === paymentId || parts.some((part) => part.paymentId === paymentId);
}

type OfPayment = Pick<StoredRefund, 'accountId' | 'mode' | 'paymentId'>;

function refundsOfPayment(tables: Tables, paymentId: string): readonly StoredRefund[] {
  return [...tables.askedRefunds.values()]
    .filter(({ refund }) => refund.paymentId === paymentId)
    .map((row) => storedRefundOf(tables, row));
}

/** Written with the first refund of a payment that can be refunded. */
function lockTotals(tables: Tables, of: OfPayment): RefundTotalsRow | undefined {
  const known = tables.refundTotals.get(of.paymentId);
  if (known !== undefined) return known;
  const payment = refundableOf(tables, of, of.paymentId);
  if (payment?.final !== true) return undefined;
  const totals = { ...payment.totals, lastSequence: 0 };
  tables.refundTotals.set(of.paymentId, totals);
  return totals;
}

function isOwnWallet(tables: Tables, refund: OfPayment & Pick<StoredRefund, 'wallet'>): boolean {
  return refundableOf(tables, refund, refund.paymentId)?.wallets.includes(refund.wallet) ?? false;
}

/** Why another refund may not begin now. */
function obstacleOf(
  tables: Tables,
  { paymentId }: OfPayment,
  wantedAtomic: bigint | null,
  counted: ReadonlySet<string>,
  most: number,
  nowMs: number,
): Refusal | undefined {
  const totals = tables.refundTotals.get(paymentId);
  if (totals === undefined) return 'refund_payment_not_final';
  if (wantedAtomic === null || wantedAtomic <= 0n || wantedAtomic > leftToRefund(totals)) return 'refund_exceeds_paid';
  const open = refundsOfPayment(tables, paymentId).filter(
    ({ status, expiresAtMs }) =>
      counted.has(status) && (status !== REFUND_STATUS.prepared || (expiresAtMs ?? 0) > nowMs),
  );
  return open.length >= most ? 'refund_limit_reached' : undefined;
}

type Asked = Pick<RefundToPrepare, 'id' | 'accountId' | 'mode' | 'paymentId' | 'wallet' | 'recipient' | 'reason'> &
  Partial<StoredRefund> &
  Pick<StoredRefund, 'kind'>;

/** A refund that no lane sends. */
function watch(
  tables: Tables,
  asked: Asked,
  isSame: (known: StoredRefund) => boolean,
  amountAtomic: bigint | null,
  nowMs: number,
): RefundAnswer {
  const totals = lockTotals(tables, asked);
  const counts = new Set<string>([...OPEN_REFUND, REFUND_STATUS.completed]);
  const known = refundsOfPayment(tables, asked.paymentId).find((one) => counts.has(one.status) && isSame(one));
  if (known !== undefined) return { ok: true, refund: known };
  const reservedAtomic = amountAtomic ?? (totals === undefined ? null : leftToRefund(totals));
  const obstacle = obstacleOf(tables, asked, reservedAtomic, OPEN, MAX_OPEN_REFUNDS, nowMs);
  if (totals === undefined || obstacle !== undefined) return refuse(obstacle ?? 'refund_payment_not_final');
  if (!isOwnWallet(tables, asked)) return refuse('refund_wallet_unknown');
  const sequence = asked.sequence ?? null;
  if (sequence !== null && sequence <= totals.lastSequence) return refuse('refund_superseded');
  const row = insert(tables, asked, { status: 'queued', submittedAtMs: nowMs }, nowMs);
  row.reservedAtomic = reservedAtomic ?? 0n;
  reserve(tables, row, totals);
  return { ok: true, refund: storedRefundOf(tables, row) };
}

function reserve(tables: Tables, { refund, reservedAtomic }: AskedRefundRow, totals: RefundTotalsRow): void {
  tables.refundTotals.set(refund.paymentId, {
    ...totals,
    reservedAtomic: totals.reservedAtomic + reservedAtomic,
    lastSequence: Math.max(totals.lastSequence, refund.sequence ?? 0),
  });
}

function insert(tables: Tables, asked: Asked, change: Partial<StoredRefund>, nowMs: number): AskedRefundRow {
  const payment = refundableOf(tables, asked, asked.paymentId);
  if (payment === undefined) throw new Error(`no payment ${asked.paymentId}`);
  const { intentId, intentCode, network, asset, tokenShortcode } = payment;
  const { id, accountId, mode, paymentId, kind, wallet, recipient, reason } = asked;
  const last = [...tables.askedRefunds.values()].at(-1)?.number ?? 0n;
  const row: AskedRefundRow = {
    number: last + 1n,
    signature: null,
    byContract: false,
    reservedAtomic: 0n,
    canceledAtMs: null,
    afterSuccess: tables.intents.get(intentId)?.intent.status === INTENT_STATUS.completed,
    refund: {
      id,
      accountId,
      mode,
      paymentId,
      intentId,
      intentCode,
      kind,
      status: 'prepared',
      sequence: asked.sequence ?? null,
      network,
      asset,
      tokenShortcode,
      amountAtomic: null,
      wallet,
      recipient,
      nonce: asked.nonce ?? null,
      validAfterSeconds: asked.validAfterSeconds ?? null,
      validBeforeSeconds: asked.validBeforeSeconds ?? null,
      transfer: asked.transfer ?? null,
      reported: asked.reported ?? null,
      transactionId: null,
      logIndex: null,
      refusal: null,
      failureCode: null,
      reason,
      createdAtMs: nowMs,
      expiresAtMs: null,
      submittedAtMs: null,
      completedAtMs: null,
      ...change,
    },
  };
  tables.askedRefunds.set(id, row);
  return row;
}
