// Turns chain outcomes into payment results. Payments and intents are read in the caller's transaction.
import {
  applyPaymentResult,
  bookPayment,
  draftEvents,
  eventsFor,
  externalCostAtomic,
  type Lane,
  type LaneItem,
  type MinedBatch,
  type SettledItem,
} from '@svc-pay/core';
import type { Rate } from '@svc-pay/money';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type pg from 'pg';
import { type IntentToChange, loadIntentsToChange } from '../intent/load-intent.ts';
import { loadPaidRates } from './load-paid-rates.ts';
import type { PaymentResultRow } from './write-payment-results.ts';

export type SettledBatchItem = { readonly item: LaneItem; readonly mined: SettledItem };
export type FailedBatchItem = { readonly item: LaneItem; readonly code: ErrorCode };

/** Request id that the events carry for the merchant's log: the id of a batch, or a new id for a periodic job. */
export type ResultOrigin = { readonly requestId: string; readonly nowMs: number };

export async function completePayments(
  client: pg.ClientBase,
  lane: Lane,
  settled: SettledBatch,
  gasCoin: Rate | undefined,
  cause: ResultOrigin,
): Promise<readonly PaymentResultRow[]> {
  const read = await readToComplete(client, lane, settled.parts, gasCoin);
  return completeParts(lane, settled, read, cause);
}

export type SettledBatch = {
  readonly batch: MinedBatch;
  readonly parts: readonly SettledBatchItem[];
  /** Share of the transaction's gas cost, by payment id. */
  readonly gas: ReadonlyMap<string, bigint>;
};

/** Completes many batches with one read of the rows. The events of a payment carry the id of its batch. */
export async function completeBatches(
  client: pg.ClientBase,
  lane: Lane,
  batches: readonly SettledBatch[],
  gasCoin: Rate | undefined,
  nowMs: number,
): Promise<readonly PaymentResultRow[]> {
  const all = batches.flatMap(({ parts }) => parts);
  const read = await readToComplete(client, lane, all, gasCoin);
  return batches.flatMap((settled) => completeParts(lane, settled, read, { requestId: settled.batch.batchId, nowMs }));
}

type Read = {
  readonly befores: ReadonlyMap<string, IntentToChange>;
  readonly gasCoin: Rate | undefined;
  readonly rates: ReadonlyMap<string, Rate> | undefined;
};

async function readToComplete(
  client: pg.ClientBase,
  { network }: Lane,
  parts: readonly SettledBatchItem[],
  gasCoin: Rate | undefined,
): Promise<Read> {
  if (parts.length === 0) return { befores: new Map(), gasCoin, rates: undefined };
  const items = parts.map(({ item }) => item);
  const befores = await loadIntentsToChange(client, items);
  return { befores, gasCoin, rates: gasCoin && (await loadPaidRates(client, network, items)) };
}

function completeParts(
  lane: Lane,
  { batch, parts, gas }: SettledBatch,
  { befores, gasCoin, rates }: Read,
  cause: ResultOrigin,
): readonly PaymentResultRow[] {
  return parts.map(({ item, mined }) => {
    const before = beforeOf(befores, item);
    const gasShareAtomic = gas.get(item.paymentId) ?? 0n;
    const { breakdown, entries } = bookPayment({ lane, item, mined, batch, gasShareAtomic }, cause);
    const after = applyPaymentResult(
      before,
      {
        status: 'completed',
        transactionId: batch.transactionId,
        logIndex: mined.logIndex,
        settledAtomic: item.settledAtomic,
      },
      cause.nowMs,
    );
    return {
      ...changeOf(before, after, cause),
      settlement: 'completed',
      failureCode: null,
      feeAtomic: breakdown.feeAtomic,
      refundAtomic: breakdown.refundAtomic,
      externalCostAtomic: externalCostAtomic(gasShareAtomic, { gasCoin, token: rates?.get(item.paymentId) }),
      entries,
    };
  });
}

export async function failPayments(
  client: pg.ClientBase,
  parts: readonly FailedBatchItem[],
  transactionId: string | null,
  cause: ResultOrigin,
): Promise<readonly PaymentResultRow[]> {
  const befores = await loadIntentsToChange(
    client,
    parts.map(({ item }) => item),
  );
  return parts.map(({ item, code }) => {
    const before = beforeOf(befores, item);
    const after = applyPaymentResult(before, { status: 'failed', transactionId }, cause.nowMs);
    return {
      ...changeOf(before, after, cause),
      settlement: 'failed',
      failureCode: code,
      feeAtomic: null,
      refundAtomic: null,
      externalCostAtomic: null,
      entries: [],
    };
  });
}

export function beforeOf(befores: ReadonlyMap<string, IntentToChange>, item: LaneItem): IntentToChange {
  const before = befores.get(item.intentId);
  if (before?.payment?.id !== item.paymentId) {
    throw new Error(`intent ${item.intentId} does not name payment ${item.paymentId}`);
  }
  return before;
}

export function changeOf(
  before: IntentToChange,
  { intent, payment }: ReturnType<typeof applyPaymentResult>,
  { requestId, nowMs }: ResultOrigin,
): Pick<PaymentResultRow, 'after' | 'version' | 'eventSequence' | 'events'> {
  if (payment === null) throw new Error(`intent ${intent.id} lost its payment`);
  const after = { intent, payment };
  const { version, eventSequence } = before;
  const origin = { requestId, idempotencyKey: null };
  const events = draftEvents(eventsFor(before, after), after, origin, nowMs, eventSequence);
  return { after, version, eventSequence, events };
}
