// Refunds as settlement decides them, from final blocks.
import {
  BATCH_STATUS,
  isoTime,
  OPEN_REFUND,
  type OpenRefund,
  PENDING_BATCH,
  REFUND_TRANSITIONS,
  type RefundKey,
  type RefundWatchStore,
} from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';
import { sqlIs, sqlStep } from '../database/status-sql.ts';
import { completeRefund } from './complete-refund.ts';
import { walletsOf } from './load-refundable.ts';
import { lockRefund, writeTotals } from './lock-refund.ts';
import { REFUND_COLUMNS, type RefundRow, refundOf } from './refund-row.ts';

export function createRefundWatchStore(pool: pg.Pool): RefundWatchStore {
  return {
    loadOpenRefunds: (network, afterNumber, limit) => loadOpen(pool, network, afterNumber, limit),
    complete: (refund, evidence, nowMs) => completeRefund(pool, refund, evidence, nowMs),
    fail: (refund, code, nowMs) => fail(pool, refund, code, nowMs),
    queueAgain: async ({ accountId, mode, id }, nowMs) => {
      const { rowCount } = await pool.query({ ...QUEUE_AGAIN, values: [accountId, mode, id, isoTime(nowMs)] });
      return rowCount === 1;
    },
    cancelStale: async (nowMs) => {
      const { rows } = await pool.query<{ canceled: number }>({ ...CANCEL_STALE, values: [isoTime(nowMs)] });
      return rows[0]?.canceled ?? 0;
    },
  };
}

const LOAD_OPEN = {
  name: 'load-open-refunds',
  text: `
    select ${REFUND_COLUMNS}, r.number, encode(r.signature, 'hex') as signature, r.by_contract, r.batch_id,
      array(
        select signed.transaction_id from svc.batch_transactions signed
        where signed.batch_id = r.batch_id order by signed.created_at
      ) as signed_transaction_ids,
      p.transaction_id as paid_transaction_id, p.payer,
      (
        select paid_in.block_number from svc.settlements s
        join svc.batches paid_in on paid_in.id = s.batch_id and paid_in.status ${sqlIs(BATCH_STATUS.finalized)}
        where s.account_id = r.account_id and s.mode = r.mode and s.payment_id = r.payment_id limit 1
      ) as paid_block,
      ${walletsOf('r')} as wallets,
      (select id from svc.installation) as installation
    from svc.refunds r
    join svc.payments p on p.account_id = r.account_id and p.mode = r.mode and p.id = r.payment_id
    where r.network = $1 and r.number > $2 and r.status ${sqlIs(...OPEN_REFUND)}
    order by r.number limit $3`,
};

type OpenRow = RefundRow & {
  readonly number: string;
  readonly signature: string | null;
  readonly by_contract: boolean;
  readonly batch_id: string | null;
  readonly signed_transaction_ids: readonly string[];
  readonly paid_transaction_id: string | null;
  readonly payer: string | null;
  readonly paid_block: string | null;
  readonly wallets: readonly string[];
  readonly installation: string;
};

async function loadOpen(
  pool: pg.Pool,
  network: NetworkId,
  afterNumber: bigint,
  limit: number,
): Promise<readonly OpenRefund[]> {
  const { rows } = await pool.query<OpenRow>({ ...LOAD_OPEN, values: [network, afterNumber.toString(), limit] });
  return rows.map((row) => ({
    ...refundOf(row),
    number: BigInt(row.number),
    signature: row.signature === null ? null : `0x${row.signature}`,
    byContract: row.by_contract,
    batchId: row.batch_id,
    signedTransactionIds: row.signed_transaction_ids,
    payment: {
      transactionId: row.paid_transaction_id,
      payer: row.payer,
      blockNumber: row.paid_block === null ? null : BigInt(row.paid_block),
    },
    wallets: row.wallets,
    installation: row.installation,
  }));
}

const FAILED = sqlStep(REFUND_TRANSITIONS, OPEN_REFUND, 'failed');
const FAIL = {
  name: 'fail-refund',
  text: `
    update svc.refunds set status = ${FAILED.to}, failure_code = $4, reserved = 0, retry_at = null, updated_at = $5
    where account_id = $1 and mode = $2 and id = $3 and status ${FAILED.from}`,
};

function fail(pool: pg.Pool, key: RefundKey, code: ErrorCode, nowMs: number): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    const { row, totals } = await lockRefund(client, key);
    const values = [key.accountId, key.mode, key.id, code, isoTime(nowMs)];
    const { rowCount } = await client.query({ ...FAIL, values });
    if (rowCount !== 1) return false;
    await writeTotals(client, row, {
      ...totals,
      reservedAtomic: totals.reservedAtomic - BigInt(row.reserved),
    });
    return true;
  });
}

const QUEUED = sqlStep(REFUND_TRANSITIONS, 'sent', 'queued');
const QUEUE_AGAIN = {
  name: 'queue-refund-again',
  text: `
    update svc.refunds r
    set status = ${QUEUED.to}, relayer = null, batch_id = null, transaction_id = null, updated_at = $4
    where r.account_id = $1 and r.mode = $2 and r.id = $3 and r.status ${QUEUED.from}
      and not exists (
        select from svc.batches b
        where b.id = r.batch_id and b.status ${sqlIs(...PENDING_BATCH, BATCH_STATUS.mined)}
      )`,
};

const CANCEL_STALE = { name: 'cancel-stale-refunds', text: 'select svc.cancel_stale_refunds($1) as canceled' };
