// A fake chain for lanes: it keeps a pool of transactions, mines them in the order of their nonces, and lets each
// authorization move money once, as a real one would. What it settled is the truth that the books are held against.
import { createHash } from 'node:crypto';
import {
  type Broadcast,
  ChainUnavailable,
  type FlyingBatch,
  type ItemOutcome,
  type LaneChain,
  type LaneItem,
  type MinedBatch,
  type SignedTransaction,
} from '@svc-pay/core';

type Content = { readonly nonce: string; readonly payments: readonly string[]; readonly salt: number };
type Mined = {
  readonly nonce: bigint;
  readonly blockNumber: bigint;
  readonly blockHash: string;
  readonly outcomes: ReadonlyMap<string, ItemOutcome>;
};

const MAX_ITEMS = 25;

export type FakeChain = LaneChain & {
  /** Mines everything that follows on what was mined before. */
  readonly mine: () => void;
  /** How often money moved, by payment. */
  readonly settled: ReadonlyMap<string, number>;
  readonly minedTransactions: () => number;
  /** Forgets the newest blocks with all that was in them, and mines none in their place. */
  readonly reorganise: (depth: number) => void;
  /** The hash at a height. */
  readonly hashAt: (height: bigint) => string;
  /** The next time this payment is rehearsed or mined it has this outcome. */
  readonly spoil: (paymentId: string, outcome: ItemOutcome, when: 'rehearsed' | 'mined') => void;
  /** Until told otherwise nothing can be asked. */
  readonly cutOff: (off: boolean) => void;
};

export function createFakeChain(firstNonce = 0n): FakeChain {
  const pool = new Map<bigint, string>();
  const contents = new Map<string, Content>();
  const mined = new Map<string, Mined>();
  const settled = new Map<string, number>();
  const spoiled = { rehearsed: new Map<string, ItemOutcome>(), mined: new Map<string, ItemOutcome>() };
  let nonce = firstNonce;
  let blockNumber = 1n;
  let salt = 0;
  const forkedAt: bigint[] = [];
  let off = false;
  const hashAt = (height: bigint) => `0xb${height}f${forkedAt.filter((from) => from <= height).length}`;
  const ask = () => {
    if (off) throw new ChainUnavailable('cut off');
  };

  return {
    settled,
    minedTransactions: () => mined.size,
    hashAt,
    reorganise: (depth) => {
      const from = blockNumber - BigInt(depth);
      forkedAt.push(from);
      for (const [id, { nonce: used, blockNumber: at, outcomes }] of mined) {
        if (at < from) continue;
        mined.delete(id);
        pool.delete(used);
        if (used < nonce) nonce = used;
        for (const [payment, outcome] of outcomes)
          if (outcome === 'settled') settled.set(payment, (settled.get(payment) ?? 0) - 1);
      }
    },
    spoil: (paymentId, outcome, when) => spoiled[when].set(paymentId, outcome),
    cutOff: (now) => {
      off = now;
    },
    mine: () => {
      for (let id = pool.get(nonce); id !== undefined; id = pool.get(nonce)) {
        const outcomes = new Map<string, ItemOutcome>();
        for (const payment of contents.get(id)?.payments ?? []) {
          const count = settled.get(payment) ?? 0;
          const outcome = spoiled.mined.get(payment) ?? (count > 0 ? 'authorization_used' : 'settled');
          outcomes.set(payment, outcome);
          if (outcome === 'settled') settled.set(payment, count + 1);
        }
        mined.set(id, { nonce, blockNumber, blockHash: hashAt(blockNumber), outcomes });
        nonce += 1n;
      }
      blockNumber += 1n;
    },
    fit: (queue) => ({ items: queue.slice(0, MAX_ITEMS), full: queue.length >= MAX_ITEMS }),
    rehearse: async (items) => {
      ask();
      const outcomes = items.map(
        ({ paymentId }) =>
          spoiled.rehearsed.get(paymentId) ?? ((settled.get(paymentId) ?? 0) > 0 ? 'authorization_used' : 'settled'),
      );
      return { ok: true, outcomes, chainTimeSeconds: 1_000n };
    },
    sign: async (items, given): Promise<SignedTransaction> => {
      ask();
      salt += 1;
      const content = { nonce: given.toString(), payments: items.map(({ paymentId }) => paymentId), salt };
      const raw = Buffer.from(JSON.stringify(content));
      return { transactionId: `0x${createHash('sha256').update(raw).digest('hex')}`, raw };
    },
    broadcast: async (raw): Promise<Broadcast> => {
      if (off) return { outcome: 'unknown' };
      const transactionId = `0x${createHash('sha256').update(raw).digest('hex')}`;
      const content = JSON.parse(Buffer.from(raw).toString()) as Content;
      contents.set(transactionId, content);
      const place = BigInt(content.nonce);
      // The first one under a nonce wins, as it does in a pool without a higher fee.
      if (!pool.has(place)) pool.set(place, transactionId);
      return { outcome: 'known' };
    },
    findMined: async (batches) => {
      ask();
      return batches.flatMap((batch) => minedBatch(batch, mined, blockNumber - 1n));
    },
    minedNonce: async () => nonce,
  };
}

function minedBatch(batch: FlyingBatch, mined: ReadonlyMap<string, Mined>, head: bigint): MinedBatch[] {
  return batch.transactions.flatMap(({ transactionId }) => {
    const found = mined.get(transactionId);
    if (found === undefined) return [];
    return [
      {
        batchId: batch.id,
        transactionId,
        blockNumber: found.blockNumber,
        blockHash: found.blockHash,
        confirmations: head - found.blockNumber + 1n,
        reverted: false,
        gasCostAtomic: 1_000_003n,
        feeRecipient: `0x${'fe'.repeat(20)}`,
        items: batch.items.map((item, index) => minedItem(item, index, found)),
      },
    ];
  });
}

function minedItem(item: LaneItem, index: number, { outcomes }: Mined): MinedBatch['items'][number] {
  const { paymentId, settledAtomic, payout } = item;
  const outcome = outcomes.get(paymentId) ?? 'malformed';
  if (outcome !== 'settled') return { paymentId, outcome };
  const feeAtomic = (settledAtomic * BigInt(payout.feeBps)) / 10_000n;
  return { paymentId, outcome, logIndex: 2 * index + 1, transferLogIndex: 2 * index, feeAtomic, escrowedFor: [] };
}
