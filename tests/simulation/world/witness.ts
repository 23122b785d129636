// Sees every transaction that a node is handed and every block that was ever mined, also those of forks that nobody
// remembers, and says at once what must never happen.
import type { Block, Transaction } from '../chain/simulated-chain.ts';
import type { Simulation } from './simulation.ts';

export type Witness = {
  readonly handed: (transaction: Transaction) => void;
  readonly mined: (block: Block) => void;
  /** Looks at what was booked since it looked last: by what a block had said by then, also one that is gone since. */
  readonly lookAtBooks: () => void;
};

export function createWitness({ tables, clock, violate }: Simulation): Witness {
  const calls = new Map<string, string>();
  const mined = new Map<string, number>();
  let booked = 0;
  const isStored = (id: string) =>
    [...tables.batches.values()].some(({ transactions }) =>
      transactions.some(({ transactionId }) => transactionId === id),
    );
  return {
    handed: ({ id, sender, nonce, data }) => {
      if (!isStored(id)) violate('stored before sent', `${id} was handed to a node and stands nowhere`);
      const place = `${sender} ${nonce}`;
      const before = calls.get(place);
      if (before !== undefined && before !== data) violate('one call per nonce', `two calls under ${place}`);
      calls.set(place, data);
    },
    mined: ({ transactions }) => {
      for (const { id } of transactions) if (!mined.has(id)) mined.set(id, clock.nowMs());
    },
    lookAtBooks: () => {
      for (const { transactionId, paymentId, createdAtMs } of tables.entries.slice(booked)) {
        const sinceMs = mined.get(transactionId);
        if (sinceMs !== undefined && sinceMs <= createdAtMs) continue;
        violate('booked what a block said', `${paymentId} was booked by ${transactionId} before any block had it`);
        break;
      }
      booked = tables.entries.length;
    },
  };
}
