// Books the gas cost of recorded transactions: settled payments
// share it, and the shares of unsettled payments are losses.
import { bookLosses, type FoundBatch, type GasSplit, type Lane, lostItems, splitGas } from '@svc-pay/core';
import type pg from 'pg';
import { loadLosses, writeLosses } from './gas-losses.ts';

/** Gas cost of one recorded transaction, for metrics. */
export type GasSpent = {
  readonly network: string;
  readonly costAtomic: bigint;
  readonly reverted: boolean;
  readonly lost: GasSplit['lost'];
};

/**
 * `marked` has the batches that this transaction marked as mined, each with its number of payments. Other batches are
 * skipped, so that none is booked twice. Returns splits by batch id.
 */
export async function bookGas(
  client: pg.ClientBase,
  lane: Lane,
  all: readonly FoundBatch[],
  marked: ReadonlyMap<string, number>,
  nowMs: number,
): Promise<ReadonlyMap<string, GasSplit>> {
  const found = all.filter(({ batch }) => marked.has(batch.id));
  const countOf = ({ batch }: FoundBatch) => marked.get(batch.id) ?? 0;
  // A batch may have fewer items than payments it carried: payments that are queued again leave it, and a restored
  // batch never had the unsettled ones.
  const left = found.filter((one) => countOf(one) > one.batch.items.length);
  const earlier = await loadLosses(
    client,
    left.map(({ batch }) => batch.id),
  );
  const splits = new Map(
    found.map((one) => {
      const { batch, mined } = one;
      const besides = lostItems(countOf(one), mined, earlier.get(batch.id) ?? []);
      return [batch.id, splitGas(mined, batch.items, besides)];
    }),
  );
  await writeLosses(
    client,
    found.flatMap(({ batch, mined }) => {
      const source = { ...lane, batchId: batch.id, transactionId: mined.transactionId };
      return bookLosses(source, splits.get(batch.id)?.lost ?? [], { nowMs });
    }),
  );
  return splits;
}

export function gasSpent(
  { network }: Lane,
  found: readonly FoundBatch[],
  splits: ReadonlyMap<string, GasSplit>,
): readonly GasSpent[] {
  return found.flatMap(({ batch, mined }) => {
    const split = splits.get(batch.id);
    if (split === undefined) return [];
    return [{ network, costAtomic: mined.gasCostAtomic, reverted: mined.reverted, lost: split.lost }];
  });
}
