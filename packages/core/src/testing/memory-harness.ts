// The memory store as the contract suites see it.
import { evmNetwork } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import { createMemoryFinalityStore } from './memory-finality-store.ts';
import { findForgottenLanes } from './memory-lane-base.ts';
import { createMemoryLaneStore } from './memory-lane-store.ts';
import { queueRefund } from './memory-refunds.ts';
import { queueSettlement, seedAuthorization, seedIntent, seedRelayer } from './memory-seed.ts';
import { createMemoryStrandedLaneStore } from './memory-stranded-lane-store.ts';
import { createMemoryStrandedStore } from './memory-stranded-store.ts';
import { createTables, type Statement, type Tables } from './memory-tables.ts';
import { sampleIntent } from './samples.ts';
import { someAddress } from './settled-payment.ts';
import type { StoredRows, StoreHarness } from './store-harness.ts';

const statement: Statement = async (_name, action) => action();
const NETWORK = evmNetwork(84_532);
const FIRST_NONCE = 7n;
const CAP_ATOMIC = 1_500_000n;

/** With `givenNowMs` another clock is the store's. */
export function createMemoryHarness(givenNowMs?: () => number): StoreHarness & { readonly tables: Tables } {
  const tables = createTables();
  let nowMs = 1_790_000_000_000;
  const clock = { nowMs: givenNowMs ?? (() => nowMs) };
  const [one, two, recovery] = [0x5e, 0x6e, 0x7e].map((byte) => ({ network: NETWORK, relayer: someAddress(byte) }));
  if (one === undefined || two === undefined || recovery === undefined) throw new Error('three lanes');
  for (const lane of [one, two]) seedRelayer(tables, lane, FIRST_NONCE);
  seedRelayer(tables, recovery, FIRST_NONCE, 'resolve_stranded');
  const accountId = newId('account', nowMs);
  const sign = (upto: boolean) => {
    nowMs += 1;
    const code = tables.intents.size + 1;
    const times = { createdAtMs: nowMs, expiresAtMs: nowMs + 86_400_000 };
    const intent = sampleIntent({ id: newId('paymentIntent', nowMs), accountId, intentCode: code, upto, ...times });
    seedIntent(tables, intent);
    const terms = {
      asset: intent.ledgerId,
      processor: someAddress(0x22),
      payer: `0x${code.toString(16).padStart(40, 'a')}`,
      capAtomic: CAP_ATOMIC,
      nonce: `0x${code.toString(16).padStart(64, '0')}`,
      validBeforeSeconds: BigInt(Math.floor(nowMs / 1_000) + (upto ? 3_600 : 86_400)),
      payout: { id: 1n, merchant: someAddress(0x66), feeBps: 100, splits: [] },
    };
    return { intentId: intent.id, key: seedAuthorization(tables, intent, terms, nowMs) };
  };
  const keyOf = (intentId: string) =>
    [...tables.authorizations].find(([, row]) => row.intentId === intentId)?.[0] ?? '';
  return {
    tables,
    network: NETWORK,
    lanes: [one, two],
    recovery,
    settling: createMemoryLaneStore(tables, statement, clock),
    resolving: createMemoryStrandedLaneStore(tables, statement, clock),
    finality: createMemoryFinalityStore(tables, statement),
    stranded: createMemoryStrandedStore(tables, statement),
    findForgottenLanes: async (silentSinceMs) => findForgottenLanes(tables, silentSinceMs),
    nowMs: clock.nowMs,
    pass: (ms) => {
      nowMs += ms;
    },
    queuePayment: async () => queueSettlement(tables, sign(false).key, { nowMs, status: 'queued' }).item.paymentId,
    queueRefund: async (paymentId) => {
      const settlement = tables.settlements.get(paymentId);
      if (settlement === undefined) throw new Error(`no payment ${paymentId}`);
      const id = queueRefund(tables, settlement, clock.nowMs()).item.refund?.id;
      if (id === undefined) throw new Error('the refund has no id');
      return id;
    },
    confirmUpto: async () => sign(true).intentId,
    settleUpto: async (intentId, settledAtomic) =>
      queueSettlement(tables, keyOf(intentId), { nowMs, status: 'queued', settledAtomic }).item.paymentId,
    cancelIntent: async (intentId) => {
      const row = tables.intents.get(intentId);
      if (row !== undefined) row.intent = { ...row.intent, status: 'canceled' };
    },
    read: async () => readTables(tables),
  };
}

function readTables(tables: Tables): StoredRows {
  const { settlements, payments, intents, entries, losses, batches, events, stranded } = tables;
  const liveOf = (rows: readonly { readonly id: string; readonly reverses: string | null }[]) => {
    const reversed = new Set(rows.map(({ reverses }) => reverses));
    return ({ id, reverses }: (typeof rows)[number]) => reverses === null && !reversed.has(id);
  };
  const [isLiveEntry, isLiveLoss] = [liveOf(entries), liveOf(losses)];
  return {
    payments: [...settlements.values()].map((row) => {
      const { paymentId, intentId } = row.item;
      const payment = payments.get(paymentId);
      const intent = intents.get(intentId);
      return {
        id: paymentId,
        status: payment?.status ?? '',
        transaction: payment?.transactionId ?? null,
        split: payment?.transactionSplitId ?? null,
        paid: payment?.paidAmount ?? null,
        fee: payment?.feeAmount ?? null,
        refund: payment?.returnedAmount ?? null,
        paidTotal: payment?.paidTotal ?? null,
        refundDue: payment?.refundDueAmount ?? null,
        requested: payment?.requestedAmount ?? null,
        splits: payment?.splits?.map(({ recipient, amount }) => ({ recipient, amount: amount.toString() })) ?? null,
        failure: payment?.failureCode ?? null,
        settlement: row.status,
        relayer: row.relayer,
        batch: row.batchId,
        limit: row.batchLimit,
        refusal: row.refusal,
        intent: intentId,
        intentStatus: intent?.intent.status ?? '',
        named: intent?.paymentId === paymentId,
      };
    }),
    entries: entries.map((entry) => ({
      payment: entry.paymentId,
      asset: entry.asset,
      account: entry.accountName,
      party: entry.party,
      amount: entry.amountAtomic,
      transaction: entry.transactionId,
      live: isLiveEntry(entry),
    })),
    losses: losses.map((loss) => ({
      batch: loss.batchId,
      payment: loss.paymentId,
      cause: loss.cause,
      amount: loss.amountAtomic,
      transaction: loss.transactionId,
      live: isLiveLoss(loss),
    })),
    batches: [...batches.values()].map(({ id, status, transactionId, gasBooked }) => ({
      id,
      status,
      transaction: transactionId,
      gasBooked,
    })),
    events: [...events.values()].map(({ intentId, sequence, type }) => ({ intent: intentId, sequence, type })),
    stranded: [...stranded.values()].map(({ intentId, paymentId, action, status, reason, batchId }) => ({
      intent: intentId,
      payment: paymentId,
      action,
      status,
      reason,
      batch: batchId,
    })),
    refunds: [...tables.refunds].map(([id, { status, batchId, transactionId, refusal }]) => ({
      id,
      status,
      batch: batchId,
      transaction: transactionId,
      refusal,
    })),
  };
}
