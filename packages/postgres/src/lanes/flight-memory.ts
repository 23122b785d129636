// What a batch carries is written once and hardly changes while it flies, and it is the largest part of a lane's rows. So a
// process that has read or written it keeps it, and asks the database only which batches fly, under which transactions, how
// many of their payments are still theirs, and what little may have changed of them. Where that is not what was kept, all
// of it is read again.
import { type FlyingBatch, type Lane, laneKey } from '@svc-pay/core';

export type Cargo = Pick<FlyingBatch, 'transactions' | 'items'>;

/** What the database says of it now. */
type CargoMark = {
  readonly transactionIds: readonly string[];
  readonly itemCount: number;
  /** Of all items together: a batch that was mined, reverted and taken back flies again with narrower ones. */
  readonly batchLimits: number;
};

export type FlightMemory = {
  readonly keep: (lane: Lane, batchId: string, cargo: Cargo) => void;
  /** Undefined when it was never kept, or is another by now. */
  readonly recall: (lane: Lane, batchId: string, mark: CargoMark) => Cargo | undefined;
  /** What does not fly any more is forgotten. */
  readonly keepOnly: (lane: Lane, batchIds: ReadonlySet<string>) => void;
};

export function createFlightMemory(): FlightMemory {
  const lanes = new Map<string, Map<string, Cargo>>();
  return {
    keep: (lane, batchId, cargo) => {
      const key = laneKey(lane);
      const batches = lanes.get(key) ?? new Map<string, Cargo>();
      lanes.set(key, batches.set(batchId, cargo));
    },
    recall: (lane, batchId, mark) => {
      const cargo = lanes.get(laneKey(lane))?.get(batchId);
      return cargo !== undefined && hasMark(cargo, mark) ? cargo : undefined;
    },
    keepOnly: (lane, batchIds) => {
      const batches = lanes.get(laneKey(lane));
      for (const batchId of batches?.keys() ?? []) if (!batchIds.has(batchId)) batches?.delete(batchId);
    },
  };
}

function hasMark({ transactions, items }: Cargo, { transactionIds, itemCount, batchLimits }: CargoMark): boolean {
  return (
    items.length === itemCount &&
    items.reduce((sum, { batchLimit = 0 }) => sum + batchLimit, 0) === batchLimits &&
    transactions.length === transactionIds.length &&
    transactions.every(({ transactionId }, index) => transactionId === transactionIds[index])
  );
}
