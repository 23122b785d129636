// A fake chain for lanes. It keeps a pool of transactions, mines them in the order of their nonces, and lets each
// authorization move money once, as a real chain does. Tests compare the ledger with what it settled.
import { createHash } from 'node:crypto';
import {
  type Broadcast,
  ChainUnavailable,
  type ItemOutcome,
  type LaneItem,
  type MinedBatch,
  type PendingBatch,
  type RevertOutcome,
  type SequencedChain,
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
  readonly outcomes: ReadonlyMap<string, ItemOutcome | RevertOutcome>;
  readonly reverted: boolean;
};

const MAX_ITEMS = 25;
const FIRST_FEE = 100;
/** Of every transaction. */
export const GAS_COST = 1_000_003n;

export type FakeChain = SequencedChain & {
  /** Sets the most payments that one transaction may carry. */
  readonly setMaxItems: (count: number) => void;
  /** Mines every transaction of the pool that has the next nonce and pays enough. */
  readonly mine: () => void;
  /** How often money moved, by payment id. */
  readonly settled: ReadonlyMap<string, number>;
  readonly minedTransactions: () => number;
  /** Calls that were ever broadcast under a nonce. More than one means that the lane signed a nonce for two batches. */
  readonly callsUnder: () => ReadonlyMap<bigint, ReadonlySet<string>>;
  /** Removes the newest blocks with their transactions, and mines none in their place. */
  readonly reorganise: (depth: number) => void;
  /** Block hash at a height. */
  readonly hashAt: (height: bigint) => string;
  /** Sets the outcome of the payment for the next time it is simulated or mined. */
  readonly spoil: (paymentId: string, outcome: ItemOutcome, when: 'simulated' | 'mined') => void;
  /** While off, every call to the chain fails. */
  readonly cutOff: (off: boolean) => void;
  /** Sets the lowest fee that is mined. Cheaper transactions stay in the pool. */
  readonly demandFee: (fee: number) => void;
  readonly emptyPool: () => void;
  /** A transaction that another system signs with the same key takes the next nonce. */
  readonly useNonceElsewhere: () => void;
  readonly finalize: () => void;
  readonly setNonce: (nonce: bigint) => void;
  readonly refuseWhole: (why: ((items: readonly LaneItem[]) => WholeRefusal | undefined) | undefined) => void;
  /** Mined transactions with more payments than this revert as a whole. */
  readonly revertAbove: (count: number) => void;
  /** A transaction that carries only this payment reverts, for this reason. */
  readonly revertAlone: (paymentId: string, outcome: Exclude<RevertOutcome, 'reverted'>) => void;
  /** Sets how much the relayer may move in all. Simulations and mined transactions above it revert. */
  readonly setCap: (capAtomic: bigint) => void;
  readonly simulations: () => number;
  readonly setTime: (seconds: bigint) => void;
  /** Sets for how many concurrent payments the relayer's coins suffice. */
  readonly setCoins: (payments: number) => void;
};

export function createFakeChain(firstNonce = 0n): FakeChain {
  const pool = new Map<bigint, string>();
  const contents = new Map<string, Content>();
  const mined = new Map<string, Mined>();
  const settled = new Map<string, number>();
  const calls = new Map<bigint, Set<string>>();
  const singleOutcomes = new Map<string, Exclude<RevertOutcome, 'reverted'>>();
  const amounts = new Map<string, bigint>();
  let cap: bigint | undefined;
  let spent = 0n;
  let simulations = 0;
  let maxItems = MAX_ITEMS;
  const spoiled = { simulated: new Map<string, ItemOutcome>(), mined: new Map<string, ItemOutcome>() };
  let [nonce, finalNonce, blockNumber, timeSeconds] = [firstNonce, firstNonce, 1n, 1_000n];
  let [salt, feeFloor, largest, coins] = [0, 0, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
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
    return { transactionId: idOf(raw), raw, worstCostAtomic: GAS_COST };
  };
  const mineOne = (id: string) => {
    const payments = contents.get(id)?.payments ?? [];
    const [first] = payments;
    const alone = payments.length === 1 ? singleOutcomes.get(first ?? '') : undefined;
    const amount = payments.reduce((sum, payment) => sum + (amounts.get(payment) ?? 0n), 0n);
    const reverted = payments.length > largest || alone !== undefined || (cap !== undefined && spent + amount > cap);
    const outcomes = new Map<string, ItemOutcome | RevertOutcome>();
    for (const payment of payments) {
      const count = settled.get(payment) ?? 0;
      const outcome = spoiled.mined.get(payment) ?? (count > 0 ? 'authorization_used' : 'settled');
      outcomes.set(payment, reverted ? (alone ?? 'reverted') : outcome);
      if (!reverted && outcome === 'settled') {
        settled.set(payment, count + 1);
        spent += amounts.get(payment) ?? 0n;
      }
    }
    mined.set(id, { nonce, blockNumber, blockHash: hashAt(blockNumber), outcomes, reverted });
    pool.delete(nonce);
    nonce += 1n;
  };

  return {
    kind: 'sequenced',
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
    revertAlone: (paymentId, outcome) => singleOutcomes.set(paymentId, outcome),
    setCap: (capAtomic) => {
      cap = capAtomic;
    },
    simulations: () => simulations,
    setMaxItems: (count) => {
      maxItems = count;
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
    fit: (queue) => {
      const items = queue[0]?.byContract ? queue.slice(0, 1) : queue.filter((item) => !item.byContract);
      return { items: items.slice(0, maxItems), filled: Math.min(1, items.length / maxItems) };
    },
    simulate: async (items) => {
      ask();
      simulations += 1;
      for (const item of items) amounts.set(moverOf(item), item.settledAtomic);
      const capRoomAtomic = cap === undefined ? undefined : cap - spent;
      const amount = items.reduce((sum, { settledAtomic }) => sum + settledAtomic, 0n);
      const above = capRoomAtomic !== undefined && amount > capRoomAtomic;
      const cause = whole?.(items) ?? (above ? 'over_cap' : undefined);
      if (cause !== undefined) return { ok: false, cause, reason: cause, chainTimeSeconds: timeSeconds, capRoomAtomic };
      const outcomes = items
        .map(moverOf)
        .map((id) => spoiled.simulated.get(id) ?? ((settled.get(id) ?? 0) > 0 ? 'authorization_used' : 'settled'));
      return { ok: true, outcomes, chainTimeSeconds: timeSeconds, capRoomAtomic };
    },
    sign: async (items, given) => {
      ask();
      return sign({ nonce: given.toString(), payments: items.map(moverOf), fee: FIRST_FEE });
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
      // The first transaction under a nonce stays, unless another has a fee at least a tenth higher.
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

/** What moves money once: a payment, or a refund of it. */
const moverOf = ({ paymentId, refund }: LaneItem): string => refund?.id ?? paymentId;

const idOf = (raw: Uint8Array) => `0x${createHash('sha256').update(raw).digest('hex')}`;

function minedBatch(batch: PendingBatch, mined: ReadonlyMap<string, Mined>, head = 0n): MinedBatch[] {
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
        gasCostAtomic: GAS_COST,
        feeRecipient: `0x${'fe'.repeat(20)}`,
        items: batch.items.map((item, index) => minedItem(item, index, found)),
      },
    ];
  });
}

function minedItem(item: LaneItem, index: number, { outcomes }: Mined): MinedBatch['items'][number] {
  const { paymentId, settledAtomic, payout } = item;
  const outcome = outcomes.get(moverOf(item)) ?? 'malformed';
  if (outcome !== 'settled') return { paymentId, outcome };
  const feeAtomic = (settledAtomic * BigInt(payout.feeBps)) / 10_000n;
  return { paymentId, outcome, logIndex: 2 * index + 1, transferLogIndex: 2 * index, feeAtomic, escrowedFor: [] };
}
