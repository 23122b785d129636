// Payments that can be refunded, and refunds of them at every step.
import type { LaneItem } from '@svc-pay/core';
import {
  type PaymentId,
  type RefundHarness,
  type RefundSteps,
  refundSignature,
  refundSteps,
} from '@svc-pay/core/testing';
import { evmNetwork } from '@svc-pay/protocol';
import { type Id, newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { createRefundStore } from '../refund/refund-store.ts';
import { createRefundWatchStore } from '../refund/refund-watch-store.ts';
import { NOW } from './sample-rows.ts';
import { seedSettledBatch } from './seed-settled-batch.ts';

export type { PaymentId };

const address = (byte: string) => `0x${byte.repeat(20)}`;
const hash = (of: bigint) => `0x${of.toString(16).padStart(64, '0')}`;

export const refundParties = {
  network: evmNetwork(84_532),
  wallet: address('bb'),
  payer: address('aa'),
  token: address('70'),
  relayer: address('dd'),
  nowMs: NOW.getTime(),
};
const { network, wallet, payer, token, relayer, nowMs } = refundParties;

export const signature = refundSignature;

export type RefundWorld = RefundHarness & RefundSteps;

/** Two worlds of one database need different codes, which number their payouts too. */
export function createRefundWorld(
  pool: pg.Pool,
  firstCode = 500n,
  accountId: Id<'account'> = newId('account', nowMs),
): RefundWorld {
  const store = createRefundStore(pool);
  const owner = { accountId, mode: 'test' as const };
  let lastCode = firstCode;

  const paid: RefundWorld['paid'] = async ({ final = true, dueAtomic = null } = {}) => {
    lastCode += 1n;
    const item = paidItem(owner, lastCode, firstCode - 497n);
    const mined = { paymentId: item.paymentId, outcome: 'settled' as const, transferLogIndex: 0, logIndex: 1 };
    const batchId = await seedSettledBatch(pool, {
      lane: { network, relayer },
      nonce: lastCode,
      transactionId: hash(lastCode),
      blockNumber: lastCode,
      feeRecipient: address('cc'),
      gasCostAtomic: 7n,
      payments: [{ item, mined: { ...mined, feeAtomic: 0n, escrowedFor: [] } }],
    });
    await pool.query('update svc.payments set created_event = true, refund_due_amount = $2 where id = $1', [
      item.paymentId,
      dueAtomic,
    ]);
    await pool.query('update svc.intents set expires_at = created_at where id = $1', [item.intentId]);
    if (final) await pool.query(`update svc.batches set status = 'finalized' where id = $1`, [batchId]);
    return item.paymentId;
  };

  const watch = createRefundWatchStore(pool);
  const harness: RefundHarness = { store, watch, owner, network, asset: token, wallet, payer, nowMs, paid };
  return { ...harness, ...refundSteps(harness) };
}

function paidItem(owner: RefundWorld['owner'], code: bigint, payoutId: bigint): LaneItem {
  return {
    ...owner,
    paymentId: newId('payment', nowMs),
    intentId: newId('paymentIntent', nowMs),
    intentCode: code,
    number: code,
    asset: token,
    processor: address('ee'),
    kind: 'transfer_with_authorization',
    byContract: false,
    payer,
    capAtomic: 1_500n,
    settledAtomic: 1_000n,
    validAfterSeconds: 0n,
    validBeforeSeconds: 2_000_000_000n,
    nonce: hash(code),
    signature: `0x${'02'.repeat(65)}`,
    confirmations: 1,
    payout: { id: payoutId, merchant: wallet, feeBps: 0, splits: [] },
  };
}
