// Payments that can be refunded, and refunds of them at every step.
import {
  type LaneItem,
  REFUND_VALIDITY_SECONDS,
  type StoredRefund,
  type RefundablePayment,
  type RefundEvidence,
  type RefundStore,
  type RefundToPrepare,
  type RefundWatchStore,
  refundNonces,
} from '@svc-pay/core';
import { evmNetwork } from '@svc-pay/protocol';
import { type Id, newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { createRefundStore } from '../refund/refund-store.ts';
import { createRefundWatchStore } from '../refund/refund-watch-store.ts';
import { NOW } from './sample-rows.ts';
import { seedSettledBatch } from './seed-settled-batch.ts';

export type PaymentId = Id<'payment'>;

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

export const signature = (byte: number) => ({
  signature: `0x${Buffer.alloc(65, byte).toString('hex')}`,
  byContract: false,
});

export type RefundWorld = {
  readonly store: RefundStore;
  readonly watch: RefundWatchStore;
  readonly owner: Pick<StoredRefund, 'accountId' | 'mode'>;
  /** A payment of 1000 units, up-to with a cap of 1500. `final: false` leaves its batch mined. */
  readonly paid: (order?: { readonly final: boolean }) => Promise<PaymentId>;
  readonly refundable: (paymentId: PaymentId) => Promise<RefundablePayment>;
  readonly terms: (paymentId: PaymentId, amountAtomic: bigint) => Promise<RefundToPrepare>;
  readonly prepared: (paymentId: PaymentId, amountAtomic: bigint) => Promise<StoredRefund>;
  /** `byte`: of which the signature is made. */
  readonly submitted: (paymentId: PaymentId, amountAtomic: bigint, byte?: number) => Promise<StoredRefund>;
  /** A log of its own. */
  readonly evidence: (amountAtomic: bigint, change?: Partial<RefundEvidence>) => RefundEvidence;
};

export function createRefundWorld(pool: pg.Pool): RefundWorld {
  const store = createRefundStore(pool);
  const owner = { accountId: newId('account', nowMs), mode: 'test' as const };
  let lastCode = 500n;
  let lastLog = 0;

  const paid: RefundWorld['paid'] = async ({ final } = { final: true }) => {
    lastCode += 1n;
    const item = paidItem(owner, lastCode);
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
    await pool.query('update svc.payments set created_event = true where id = $1', [item.paymentId]);
    await pool.query('update svc.intents set expires_at = created_at where id = $1', [item.intentId]);
    if (final) await pool.query(`update svc.batches set status = 'finalized' where id = $1`, [batchId]);
    return item.paymentId;
  };

  const refundable: RefundWorld['refundable'] = async (paymentId) => {
    const found = await store.loadRefundable(owner, paymentId);
    if (found === undefined) throw new Error(`there is no payment ${paymentId}`);
    return found;
  };

  const terms: RefundWorld['terms'] = async (paymentId, amountAtomic) => {
    const { installation, nextSequence } = await refundable(paymentId);
    const signer = { mode: owner.mode, network, asset: token, wallet, paymentId };
    const [next] = refundNonces(installation, signer, nextSequence, 1);
    if (next === undefined) throw new Error('no nonce');
    return {
      ...owner,
      ...next,
      id: newId('refund', nowMs),
      paymentId,
      wallet,
      recipient: payer,
      kind: 'authorization',
      amountAtomic,
      validAfterSeconds: 0n,
      validBeforeSeconds: BigInt(nowMs / 1_000 + REFUND_VALIDITY_SECONDS),
      transfer: null,
      reason: 'changed his mind',
      expiresAtMs: nowMs + REFUND_VALIDITY_SECONDS * 1_000,
    };
  };

  const prepared: RefundWorld['prepared'] = async (paymentId, amountAtomic) => {
    const answer = await store.recordPrepared(await terms(paymentId, amountAtomic), nowMs);
    if (!answer.ok) throw new Error(answer.code);
    return answer.refund;
  };

  const submitted: RefundWorld['submitted'] = async (paymentId, amountAtomic, byte = 1) => {
    const { id } = await prepared(paymentId, amountAtomic);
    const answer = await store.submit(owner, id, signature(byte), nowMs);
    if (!answer.ok) throw new Error(answer.code);
    return answer.refund;
  };

  const evidence: RefundWorld['evidence'] = (amountAtomic, change = {}) => {
    lastLog += 1;
    return { transactionId: `0xref${lastLog}`, logIndex: 4, amountAtomic, wallet, recipient: payer, ...change };
  };

  const watch = createRefundWatchStore(pool);
  return { store, watch, owner, paid, refundable, terms, prepared, submitted, evidence };
}

function paidItem(owner: RefundWorld['owner'], code: bigint): LaneItem {
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
    payout: { id: 3n, merchant: wallet, feeBps: 0, splits: [] },
  };
}
