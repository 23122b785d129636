// From what the chain said to what is written, for payments whose rows are read within the caller's transaction.
import {
  bookPayment,
  draftEvents,
  endPayment,
  eventsFor,
  externalCostAtomic,
  type Lane,
  type LaneItem,
  type MinedBatch,
  type SettledItem,
  shareGas,
} from '@svc-pay/core';
import type { Rate } from '@svc-pay/money';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type pg from 'pg';
import { type IntentToChange, loadIntentsToChange } from '../stores/load-intent.ts';
import { loadPaidRates } from './load-paid-rates.ts';
import type { EndedPayment } from './write-ends.ts';

export type SettledPart = { readonly item: LaneItem; readonly mined: SettledItem };
export type FailedPart = { readonly item: LaneItem; readonly code: ErrorCode };

/** Whose deed the events are, for the merchant's log: a batch, or a job. */
export type Cause = { readonly requestId: string; readonly nowMs: number };

export async function completePayments(
  client: pg.ClientBase,
  lane: Lane,
  batch: MinedBatch,
  parts: readonly SettledPart[],
  gasCoin: Rate | undefined,
  cause: Cause,
): Promise<readonly EndedPayment[]> {
  const read = await readToComplete(client, lane, parts, gasCoin);
  return completeParts(lane, batch, parts, read, cause);
}

export type SettledBatch = { readonly batch: MinedBatch; readonly parts: readonly SettledPart[] };

/** Many batches by one look at the rows; each is its own payments' cause. */
export async function completeBatches(
  client: pg.ClientBase,
  lane: Lane,
  batches: readonly SettledBatch[],
  gasCoin: Rate | undefined,
  nowMs: number,
): Promise<readonly EndedPayment[]> {
  const all = batches.flatMap(({ parts }) => parts);
  const read = await readToComplete(client, lane, all, gasCoin);
  return batches.flatMap(({ batch, parts }) =>
    completeParts(lane, batch, parts, read, { requestId: batch.batchId, nowMs }),
  );
}

type Read = {
  readonly befores: ReadonlyMap<string, IntentToChange>;
  readonly gasCoin: Rate | undefined;
  readonly rates: ReadonlyMap<string, Rate> | undefined;
};

async function readToComplete(
  client: pg.ClientBase,
  { network }: Lane,
  parts: readonly SettledPart[],
  gasCoin: Rate | undefined,
): Promise<Read> {
  if (parts.length === 0) return { befores: new Map(), gasCoin, rates: undefined };
  const items = parts.map(({ item }) => item);
  const befores = await loadIntentsToChange(client, items);
  return { befores, gasCoin, rates: gasCoin && (await loadPaidRates(client, network, items)) };
}

function completeParts(
  lane: Lane,
  batch: MinedBatch,
  parts: readonly SettledPart[],
  { befores, gasCoin, rates }: Read,
  cause: Cause,
): readonly EndedPayment[] {
  if (parts.length === 0) return [];
  const shares = shareGas(batch.gasCostAtomic, parts.length);
  return parts.map(({ item, mined }, index) => {
    const before = beforeOf(befores, item);
    const gasShareAtomic = shares[index] ?? 0n;
    const { breakdown, entries } = bookPayment({ lane, item, mined, batch, gasShareAtomic }, cause);
    const after = endPayment(
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
  parts: readonly FailedPart[],
  transactionId: string | null,
  cause: Cause,
): Promise<readonly EndedPayment[]> {
  const befores = await loadIntentsToChange(
    client,
    parts.map(({ item }) => item),
  );
  return parts.map(({ item, code }) => {
    const before = beforeOf(befores, item);
    const after = endPayment(before, { status: 'failed', transactionId }, cause.nowMs);
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
  { intent, payment }: ReturnType<typeof endPayment>,
  { requestId, nowMs }: Cause,
): Pick<EndedPayment, 'after' | 'version' | 'eventSequence' | 'events'> {
  if (payment === null) throw new Error(`intent ${intent.id} lost its payment`);
  const after = { intent, payment };
  const { version, eventSequence } = before;
  const origin = { requestId, idempotencyKey: null };
  const events = draftEvents(eventsFor(before, after), after, origin, nowMs, eventSequence);
  return { after, version, eventSequence, events };
}
