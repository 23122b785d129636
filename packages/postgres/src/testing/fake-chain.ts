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
  type WholeRefusal,
} from '@svc-pay/core';

type Content = {
  readonly nonce: string;
  readonly payments: readonly string[];
  readonly salt: number;
  readonly fee: number;
};
type Mined = {
  readonly nonce: bigint;
  readonly blockNumber: bigint;
  readonly blockHash: string;
  readonly outcomes: ReadonlyMap<string, ItemOutcome | 'reverted'>;
  readonly reverted: boolean;
};

const MAX_ITEMS = 25;
const FIRST_FEE = 100;

export type FakeChain = LaneChain & {
  /** Mines everything that follows on what was mined before and pays enough. */
  readonly mine: () => void;
  /** How often money moved, by payment. */
  readonly settled: ReadonlyMap<string, number>;
  readonly minedTransactions: () => number;
  /** Calls that were ever offered under a nonce: more than one is a lane that broke its word. */
  readonly callsUnder: () => ReadonlyMap<bigint, ReadonlySet<string>>;
  /** Forgets the newest blocks with all that was in them, and mines none in their place. */
  readonly reorganise: (depth: number) => void;
  /** The hash at a height. */
  readonly hashAt: (height: bigint) => string;
  /** The next time this payment is rehearsed or mined it has this outcome. */
  readonly spoil: (paymentId: string, outcome: ItemOutcome, when: 'rehearsed' | 'mined') => void;
  /** Until told otherwise nothing can be asked. */
  readonly cutOff: (off: boolean) => void;
  /** Cheaper transactions stay in the pool. */
  readonly demandFee: (fee: number) => void;
  readonly emptyPool: () => void;
  /** A transaction of somebody else with the same key takes the next nonce. */
  readonly useNonceElsewhere: () => void;
  readonly finalize: () => void;
  readonly setNonce: (nonce: bigint) => void;
  readonly refuseWhole: (why: ((items: readonly LaneItem[]) => WholeRefusal | undefined) | undefined) => void;
  /** Mined transactions with more payments than this are undone as a whole. */
  readonly revertAbove: (count: number) => void;
  readonly setTime: (seconds: bigint) => void;
  /** Payments that the relayer's coins pay for at once. */
  readonly setCoins: (payments: number) => void;
};

export function createFakeChain(firstNonce = 0n): FakeChain {
  const pool = new Map<bigint, string>();
  const contents = new Map<string, Content>();
  const mined = new Map<string, Mined>();
  const settled = new Map<string, number>();
  const calls = new Map<bigint, Set<string>>();
  const spoiled = { rehearsed: new Map<string, ItemOutcome>(), mined: new Map<string, ItemOutcome>() };
  let [nonce, finalNonce, blockNumber, timeSeconds] = [firstNonce, firstNonce, 1n, 1_000n];
  let [salt, feeFloor, largest, coins] = [0, 0, MAX_ITEMS, Number.POSITIVE_INFINITY];
  let off = false;
  let whole: ((items: readonly LaneItem[]) => WholeRefusal | undefined) | undefined;
  const forkedAt: bigint[] = [];
  const hashAt = (height: bigint) => `0xb${height}f${forkedAt.filter((from) => from <= height).length}`;
  const ask = () => {
    if (off) throw new ChainUnavailable('cut off');
  };
  const contentOf = ({ raw }: SignedTransaction) => JSON.parse(Buffer.from(raw).toString()) as Content;
  const sign = (content: Omit<Content, 'salt'>): SignedTransaction => {
    salt += 1;
    const raw = Buffer.from(JSON.stringify({ ...content, salt }));
    return { transactionId: idOf(raw), raw };
  };
  const mineOne = (id: string) => {
    const payments = contents.get(id)?.payments ?? [];
    const reverted = payments.length > largest;
    const outcomes = new Map<string, ItemOutcome | 'reverted'>();
    for (const payment of payments) {
      const count = settled.get(payment) ?? 0;
      const outcome = spoiled.mined.get(payment) ?? (count > 0 ? 'authorization_used' : 'settled');
      outcomes.set(payment, reverted ? 'reverted' : outcome);
      if (!reverted && outcome === 'settled') settled.set(payment, count + 1);
    }
    mined.set(id, { nonce, blockNumber, blockHash: hashAt(blockNumber), outcomes, reverted });
    pool.delete(nonce);
    nonce += 1n;
  };

  return {
    settled,
    minedTransactions: () => mined.size,
    callsUnder: () => calls,
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
    demandFee: (fee) => {
      feeFloor = fee;
    },
    emptyPool: () => pool.clear(),
    useNonceElsewhere: () => {
      pool.delete(nonce);
      nonce += 1n;
    },
    finalize: () => {
      finalNonce = nonce;
    },
    setNonce: (now) => {
      nonce = now;
    },
    refuseWhole: (why) => {
      whole = why;
    },
    revertAbove: (count) => {
      largest = count;
    },
    setTime: (seconds) => {
      timeSeconds = seconds;
    },
    setCoins: (payments) => {
      coins = payments;
    },
    mine: () => {
      for (let id = pool.get(nonce); id !== undefined; id = pool.get(nonce)) {
        if ((contents.get(id)?.fee ?? 0) < feeFloor) break;
        mineOne(id);
      }
      blockNumber += 1n;
    },
    fit: (queue) => ({ items: queue.slice(0, MAX_ITEMS), full: queue.length >= MAX_ITEMS }),
    rehearse: async (items) => {
      ask();
      const cause = whole?.(items);
      if (cause !== undefined) return { ok: false, cause, reason: cause, chainTimeSeconds: timeSeconds };
      const outcomes = items.map(
        ({ paymentId }) =>
          spoiled.rehearsed.get(paymentId) ?? ((settled.get(paymentId) ?? 0) > 0 ? 'authorization_used' : 'settled'),
      );
      return { ok: true, outcomes, chainTimeSeconds: timeSeconds };
    },
    sign: async (items, given) => {
      ask();
      return sign({ nonce: given.toString(), payments: items.map(({ paymentId }) => paymentId), fee: FIRST_FEE });
    },
    raise: async (stuck) => {
      ask();
      const content = contentOf(stuck);
      const fee = Math.ceil(content.fee * 1.125);
      return fee > 4 * FIRST_FEE ? undefined : sign({ ...content, fee });
    },
    affords: async (transactions) => {
      ask();
      return transactions.reduce((sum, transaction) => sum + contentOf(transaction).payments.length, 0) <= coins;
    },
    broadcast: async (raw): Promise<Broadcast> => {
      if (off) return { outcome: 'unknown' };
      const transactionId = idOf(raw);
      const content = contentOf({ transactionId, raw });
      const place = BigInt(content.nonce);
      contents.set(transactionId, content);
      calls.set(place, (calls.get(place) ?? new Set()).add(content.payments.join()));
      if (place < nonce) return { outcome: 'known' };
      // The first one under a nonce stays, unless another offers clearly more.
      const before = contents.get(pool.get(place) ?? '');
      if (before === undefined || content.fee >= before.fee * 1.1) pool.set(place, transactionId);
      return { outcome: 'known' };
    },
    findMined: async (batches) => {
      ask();
      return batches.flatMap((batch) => minedBatch(batch, mined, blockNumber - 1n));
    },
    findReplaced: async (batches) => {
      ask();
      return batches
        .filter((batch) => batch.nonce < finalNonce && minedBatch(batch, mined).length === 0)
        .map(({ id }) => id);
    },
    minedNonce: async () => nonce,
    nonceRange: async () => {
      ask();
      return { lowest: nonce, highest: nonce };
    },
  };
}

const idOf = (raw: Uint8Array) => `0x${createHash('sha256').update(raw).digest('hex')}`;

function minedBatch(batch: FlyingBatch, mined: ReadonlyMap<string, Mined>, head = 0n): MinedBatch[] {
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
        reverted: found.reverted,
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
