// Refunds as the API writes them. All writes are functions of the database, which lock the totals of the payment.
import {
  isoTime,
  REFUND_STATUS,
  type RefundAnswer,
  type RefundCaller,
  type RefundStore,
  type RefundToPrepare,
  type StoredRefund,
} from '@svc-pay/core';
import { type Id, newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { bytesOfHex } from '../database/bytes-of-hex.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { sqlIs } from '../database/status-sql.ts';
import { loadRefundable } from './load-refundable.ts';
import { REFUND_COLUMNS, type RefundRow, refundOf } from './refund-row.ts';
import { termsColumn } from './terms-column.ts';

type Refusal = Extract<RefundAnswer, { ok: false }>['code'];

export function createRefundStore(pool: pg.Pool): RefundStore {
  return {
    loadRefundable: (caller, paymentId) => loadRefundable(pool, caller, paymentId),
    recordPrepared: (refund, nowMs) => prepare(pool, refund, nowMs),
    submit: async (caller, refundId, { signature, byContract }, nowMs) => {
      const entry = auditEntry(caller, refundId, 'refund.submitted', nowMs);
      const values = [caller.accountId, caller.mode, refundId, bytesOfHex(signature), byContract, isoTime(nowMs)];
      const rows = await inTransaction(pool, async (client) => {
        // One submit at a time: the statement compares with the status that it sees when it begins.
        await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`svc.refunds/${refundId}`]);
        return (await client.query<Answered>({ ...SUBMIT, values: [...values, entry] })).rows;
      });
      return answer(pool, caller, refundId, rows[0]?.refusal);
    },
    recordReported: ({ reported, amountAtomic, ...refund }, nowMs) =>
      watch(
        pool,
        nowMs,
        {
          ...columnsOf(refund),
          kind: 'reported',
          amount: amountAtomic?.toString() ?? null,
          reported_transaction_id: reported.transactionId,
          reported_log_index: reported.logIndex,
          reason: refund.reason,
        },
        auditEntry(refund, refund.id, 'refund.reported', nowMs, { paymentId: refund.paymentId, ...reported }),
      ),
    recordFound: (refund, nowMs) =>
      watch(pool, nowMs, {
        ...columnsOf(refund),
        kind: refund.kind,
        sequence: refund.sequence,
        nonce: byteaOf(refund.nonce),
      }),
    cancelPrepared: (caller, refundId, nowMs) => cancel(pool, caller, refundId, nowMs),
    load: (caller, refundId) => load(pool, caller, refundId),
    list: (caller, paymentId) => list(pool, caller, paymentId),
  };
}

type Answered = { readonly refund?: Id<'refund'> | null; readonly refusal: Refusal | null };

/** In the statement of the change: `done` has one row, and the entry is written where it says that something changed. */
const audited = (done: string, entry: string, isChanged: string) => `
  with done as materialized (${done}),
  audited as (
    insert into svc.audit (account_id, mode, id, actor, action, target, detail, created_at)
    select e.account_id, e.mode, e.id, e.actor, e.action, e.target, e.detail, e.created_at
    from done, jsonb_to_record(${entry}::jsonb) as e (
      account_id text, mode text, id text, actor text, action text, target text, detail jsonb, created_at timestamptz
    )
    where ${entry}::jsonb is not null and (${isChanged})
  )
  select * from done`;

const PREPARE = {
  name: 'prepare-refund',
  text: audited('select svc.prepare_refund($1::jsonb, $2) as refusal', '$3', 'refusal is null'),
};
const SUBMIT = {
  name: 'submit-refund',
  text: audited(
    `select svc.submit_refund($1, $2, $3, $4, $5, $6) as refusal,
       (select r.status from svc.refunds r where r.account_id = $1 and r.mode = $2 and r.id = $3) as was`,
    '$7',
    `refusal is null and was ${sqlIs(REFUND_STATUS.prepared)}`,
  ),
};
const WATCH = {
  name: 'watch-refund',
  text: audited(
    'select refund, refusal from svc.watch_refund($1::jsonb, $2)',
    '$3',
    `refusal is null and refund = $1::jsonb ->> 'id'`,
  ),
};
const CANCEL = {
  name: 'cancel-refund',
  text: audited('select svc.cancel_refund($1, $2, $3, $4) as canceled', '$5', 'canceled'),
};

/** Null where nobody is named. */
function auditEntry(
  { accountId, mode, keyId }: RefundCaller,
  target: Id<'refund'>,
  action: string,
  nowMs: number,
  detail: Readonly<Record<string, unknown>> = {},
): string | null {
  if (keyId === undefined) return null;
  return JSON.stringify({
    account_id: accountId,
    mode,
    id: newId('audit', nowMs),
    actor: `key:${keyId}`,
    action,
    target,
    detail,
    created_at: isoTime(nowMs),
  });
}

async function prepare(pool: pg.Pool, refund: RefundToPrepare, nowMs: number): Promise<RefundAnswer> {
  const given = {
    ...columnsOf(refund),
    kind: refund.kind,
    sequence: refund.sequence,
    amount: refund.amountAtomic.toString(),
    nonce: byteaOf(refund.nonce),
    valid_after: refund.validAfterSeconds?.toString() ?? null,
    valid_before: refund.validBeforeSeconds?.toString() ?? null,
    transfer: termsColumn(refund.transfer),
    bound_relayer: refund.transfer?.relayer ?? null,
    reason: refund.reason,
    expires_at: isoTime(refund.expiresAtMs),
  };
  const { paymentId, amountAtomic, wallet, recipient } = refund;
  const entry = auditEntry(refund, refund.id, 'refund.prepared', nowMs, {
    paymentId,
    amount: amountAtomic.toString(),
    wallet,
    recipient,
  });
  const { rows } = await pool.query<Answered>({ ...PREPARE, values: [JSON.stringify(given), isoTime(nowMs), entry] });
  return answer(pool, refund, refund.id, rows[0]?.refusal);
}

async function watch(
  pool: pg.Pool,
  nowMs: number,
  given: ReturnType<typeof columnsOf> & Readonly<Record<string, unknown>>,
  entry: string | null = null,
): Promise<RefundAnswer> {
  const { rows } = await pool.query<Answered>({ ...WATCH, values: [JSON.stringify(given), isoTime(nowMs), entry] });
  const caller = { accountId: given.account_id, mode: given.mode };
  return answer(pool, caller, rows[0]?.refund ?? given.id, rows[0]?.refusal);
}

async function cancel(
  pool: pg.Pool,
  caller: RefundCaller,
  refundId: Id<'refund'>,
  nowMs: number,
): Promise<RefundAnswer> {
  const entry = auditEntry(caller, refundId, 'refund.canceled', nowMs);
  await pool.query({ ...CANCEL, values: [caller.accountId, caller.mode, refundId, isoTime(nowMs), entry] });
  const refund = await load(pool, caller, refundId);
  if (refund === undefined) return { ok: false, code: 'not_found' };
  return refund.status === REFUND_STATUS.canceled ? { ok: true, refund } : { ok: false, code: 'refund_not_cancelable' };
}

async function answer(
  pool: pg.Pool,
  caller: RefundCaller,
  refundId: Id<'refund'>,
  refusal: Refusal | null | undefined,
): Promise<RefundAnswer> {
  if (refusal !== null && refusal !== undefined) return { ok: false, code: refusal };
  const refund = await load(pool, caller, refundId);
  if (refund === undefined) throw new Error(`refund ${refundId} was written and is not there`);
  return { ok: true, refund };
}

const LOAD = {
  name: 'load-refund',
  text: `select ${REFUND_COLUMNS} from svc.refunds r where r.account_id = $1 and r.mode = $2 and r.id = $3`,
};

async function load(pool: pg.Pool, caller: RefundCaller, refundId: Id<'refund'>): Promise<StoredRefund | undefined> {
  const { rows } = await pool.query<RefundRow>({ ...LOAD, values: [caller.accountId, caller.mode, refundId] });
  return rows[0] && refundOf(rows[0]);
}

const MOST_LISTED = 100;
const LIST = {
  name: 'list-refunds',
  text: `
    select ${REFUND_COLUMNS} from svc.payments p
    left join svc.refunds r on r.account_id = p.account_id and r.mode = p.mode and r.payment_id = p.id
    where p.account_id = $1 and p.mode = $2 and p.id = $3
    order by r.status = 'canceled', r.id desc limit $4`,
};

async function list(
  pool: pg.Pool,
  caller: RefundCaller,
  paymentId: Id<'payment'>,
): Promise<readonly StoredRefund[] | undefined> {
  const { rows } = await pool.query<RefundRow | { readonly id: null }>({
    ...LIST,
    values: [caller.accountId, caller.mode, paymentId, MOST_LISTED],
  });
  if (rows.length === 0) return undefined;
  return rows.flatMap((row) => (row.id === null ? [] : [refundOf(row)]));
}

function columnsOf(refund: Pick<StoredRefund, 'id' | 'accountId' | 'mode' | 'paymentId' | 'wallet' | 'recipient'>) {
  return {
    id: refund.id,
    account_id: refund.accountId,
    mode: refund.mode,
    payment_id: refund.paymentId,
    wallet: refund.wallet,
    recipient: refund.recipient,
  };
}

const byteaOf = (hex: string): string => `\\x${hex.slice(2)}`;
