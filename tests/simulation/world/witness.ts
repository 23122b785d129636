// Sees every transaction that a node is handed and every block that was ever mined, also those of forks that nobody
// remembers, and says at once what must never happen.
import type { Block, Transaction } from '../chain/simulated-chain.ts';
import type { Simulation } from './simulation.ts';

export type Witness = {
  readonly handed: (transaction: Transaction) => void;
  readonly mined: (block: Block) => void;
  /** Looks at what was booked since it looked last: by what a block had said by then, also one that is gone since. */
  readonly lookAtBooks: () => void;
  /** The database was set back: what no block has may be called anew, and the books begin earlier. */
  readonly setBack: (nonces: ReadonlyMap<string, bigint>) => void;
};

export function createWitness({ tables, clock, violate }: Simulation): Witness {
  const calls = new Map<string, string>();
  const mined = new Map<string, { readonly atMs: number; readonly number: bigint }>();
  const heads: { readonly atMs: number; readonly number: bigint }[] = [];
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
    mined: ({ transactions, number }) => {
      const seen = { atMs: clock.nowMs(), number };
      heads.push(seen);
      for (const { id } of transactions) if (!mined.has(id)) mined.set(id, seen);
    },
    setBack: (nonces) => {
      booked = Math.min(booked, tables.entries.length);
      for (const place of calls.keys()) {
        const [sender = '', nonce = '0'] = place.split(' ');
        if (BigInt(nonce) >= (nonces.get(sender) ?? 0n)) calls.delete(place);
      }
    },
    lookAtBooks: () => {
      for (const { transactionId, paymentId, createdAtMs } of tables.entries.slice(booked)) {
        const first = mined.get(transactionId);
        if (first === undefined || first.atMs > createdAtMs) {
          violate('booked what a block said', `${paymentId} was booked by ${transactionId} before any block had it`);
          break;
        }
        const wanted = tables.settlements.get(paymentId)?.item.confirmations ?? 0;
        const deepest = heads.findLast(({ atMs }) => atMs <= createdAtMs)?.number ?? 0n;
        if (deepest - first.number + 1n >= BigInt(wanted)) continue;
        violate('as deep as it was to be', `${paymentId} wanted ${wanted} blocks at ${transactionId}`);
        break;
      }
      booked = tables.entries.length;
    },
  };
}
