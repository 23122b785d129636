// The refund stores in memory as their contract sees them.

import { atomicAmount } from '@svc-pay/money';
import { evmNetwork } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import { createMemoryRefundStore } from './memory-refund-store.ts';
import { createMemoryRefundWatchStore } from './memory-refund-watch-store.ts';
import { queueSettlement, seedAuthorization, seedIntent } from './memory-seed.ts';
import { createTables, type Statement } from './memory-tables.ts';
import type { RefundHarness } from './refund-harness.ts';
import type { StoredRefundRows } from './refund-store-contract.ts';
import { sampleIntent } from './samples.ts';
import { someAddress } from './settled-payment.ts';

const statement: Statement = async (_name, action) => action();
const NETWORK = evmNetwork(84_532);
const NOW_MS = 1_790_000_000_000;

export function createMemoryRefundHarness(): RefundHarness & StoredRefundRows {
  const tables = createTables();
  const owner = { accountId: newId('account', NOW_MS), mode: 'test' as const };
  const [wallet, payer, asset] = [someAddress(0xbb), someAddress(0xaa), someAddress(0x70)];
  const paid: RefundHarness['paid'] = async ({ final = true, dueAtomic = null } = {}) => {
    const intentCode = tables.intents.size + 501;
    const intent = sampleIntent({ ...owner, id: newId('paymentIntent', NOW_MS), intentCode, upto: true });
    seedIntent(tables, intent, true);
    const terms = {
      asset,
      processor: someAddress(0xee),
      payer,
      capAtomic: 1_500n,
      nonce: `0x${intentCode.toString(16).padStart(64, '0')}`,
      validBeforeSeconds: 2_000_000_000n,
      payout: { id: 3n, merchant: wallet, feeBps: 0, splits: [] },
    };
    const key = seedAuthorization(tables, intent, terms, NOW_MS);
    const row = queueSettlement(tables, key, { nowMs: NOW_MS, status: 'queued', settledAtomic: 1_000n });
    const { paymentId } = row.item;
    const batchId = newId('batch', NOW_MS);
    const transactionId = terms.nonce;
    Object.assign(row, { status: 'completed', relayer: someAddress(0xdd), batchId });
    tables.batches.set(batchId, {
      id: batchId,
      network: NETWORK,
      relayer: someAddress(0xdd),
      nonce: BigInt(intentCode),
      itemCount: 1,
      status: final ? 'finalized' : 'mined',
      transactionId,
      blockNumber: BigInt(intentCode),
      blockHash: terms.nonce,
      gasBooked: true,
      linkedTo: transactionId,
      seenIn: null,
      updatedAtMs: NOW_MS,
      transactions: [],
    });
    const payment = tables.payments.get(paymentId);
    if (payment === undefined) throw new Error('no payment');
    const paidAmount = atomicAmount(1_000n);
    const refundDueAmount = dueAtomic === null ? null : atomicAmount(dueAtomic);
    const completed = { status: 'completed', paidAmount, refundDueAmount, transactionId, announced: true } as const;
    tables.payments.set(paymentId, { ...payment, ...completed, completedAtMs: NOW_MS });
    return paymentId;
  };
  return {
    store: createMemoryRefundStore(tables, statement),
    watch: createMemoryRefundWatchStore(tables, statement),
    owner,
    network: NETWORK,
    asset,
    wallet,
    payer,
    nowMs: NOW_MS,
    paid,
    readPayment: async (paymentId) => {
      const payment = tables.payments.get(paymentId);
      const events = [...tables.events.values()].filter((event) => event.paymentId === paymentId);
      return {
        status: payment?.status,
        refunded: payment?.refundedAmount ?? null,
        events: events.map(({ type }) => type),
      };
    },
    readEntries: async (transactionId) =>
      tables.entries
        .filter((entry) => entry.transactionId === transactionId)
        .map(({ accountName, party, amountAtomic }) => ({ account: accountName, party, amount: amountAtomic })),
  };
}
