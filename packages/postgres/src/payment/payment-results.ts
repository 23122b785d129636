// Reads the rows of payments that get a result, and drafts the results by the rules of core, in the caller's transaction.
import {
  completedResult,
  type FailedItem,
  failedResult,
  type Lane,
  type LaneItem,
  type MinedBatch,
  type PaymentResultDraft,
  type ResultOrigin,
  type SettledBatchItem,
} from '@svc-pay/core';
import type { Rate } from '@svc-pay/money';
import type pg from 'pg';
import { type IntentToChange, loadIntentsToChange } from '../intent/load-intent.ts';
import { loadPaidRates } from './load-paid-rates.ts';

export type SettledBatch = {
  readonly batch: MinedBatch;
  readonly parts: readonly SettledBatchItem[];
  /** Share of the transaction's gas cost, by payment id. */
  readonly gas: ReadonlyMap<string, bigint>;
};

export async function completePayments(
  client: pg.ClientBase,
  lane: Lane,
  settled: SettledBatch,
  gasCoin: Rate | undefined,
  origin: ResultOrigin,
): Promise<readonly PaymentResultDraft[]> {
  const read = await readToComplete(client, lane, settled.parts, gasCoin);
  return completeParts(lane, settled, read, origin);
}

/** Completes many batches with one read of the rows. The events of a payment carry the id of its batch. */
export async function completeBatches(
  client: pg.ClientBase,
  lane: Lane,
  batches: readonly SettledBatch[],
  gasCoin: Rate | undefined,
  nowMs: number,
): Promise<readonly PaymentResultDraft[]> {
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
  origin: ResultOrigin,
): readonly PaymentResultDraft[] {
  return parts.map(({ item, mined }) => {
    const settled = { lane, item, mined, batch, gasShareAtomic: gas.get(item.paymentId) ?? 0n };
    const paid = { gasCoin, token: rates?.get(item.paymentId) };
    return completedResult(befores.get(item.intentId), settled, paid, origin);
  });
}

export async function failPayments(
  client: pg.ClientBase,
  failed: readonly FailedItem[],
  transactionId: string | null,
  origin: ResultOrigin,
): Promise<readonly PaymentResultDraft[]> {
  const befores = await loadBefores(
    client,
    failed.map(({ item }) => item),
  );
  return failed.map((one) => failedResult(befores.get(one.item.intentId), one, transactionId, origin));
}

/** Intents of these items, by intent id. */
export async function loadBefores(
  client: pg.ClientBase,
  items: readonly LaneItem[],
): Promise<ReadonlyMap<string, IntentToChange>> {
  return items.length === 0 ? new Map() : loadIntentsToChange(client, items);
}
