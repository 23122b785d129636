// A lane in simulated time: payers that pay again as soon as their payment is completed, or at a fixed rate; a chain with
// a block each second; and the time that a round's steps take. Counts transactions and payments, the same in every run.
import {
  type LaneDeps,
  type LaneItem,
  type LanePace,
  type LaneStore,
  laneRound,
  type PendingBatch,
  type SequencedChain,
} from '@svc-pay/core';
import { evmNetwork } from '@svc-pay/protocol';
import { fitBatch } from '../processor/fit-batch.ts';
import { DEFAULT_CALL_GAS, gasLimit } from '../processor/gas-limit.ts';

/** Milliseconds. The steps of a round as on a shared machine: what they are matters less than that they take time. */
const BLOCK = 1_000;
const CLAIM = 1;
const ANSWER = 20;
const ASK = 3;
const PER_PAYMENT = 0.3;
const SIMULATE = 30;
const BLOCK_GAS = 120_000_000n;

type Options = {
  /** Payments under way at once; or how many arrive in a second, whatever becomes of them. */
  readonly load: { readonly atOnce: number } | { readonly perSecond: number };
  readonly itemOf: (count: number) => LaneItem;
  readonly pace: LanePace;
  readonly forMs: number;
};

export type Paced = {
  readonly payments: number;
  readonly transactions: number;
  /** Payments that were read from the queue, each as often as it was read. */
  readonly read: number;
  /** Longest time from a payment's arrival until a transaction with it is stored. */
  readonly longestWaitMs: number;
};

export async function runPacedLane({ load, itemOf, pace, forMs }: Options): Promise<Paced> {
  let nowMs = 0;
  let claimed = 0;
  let nextClaimMs = 0;
  let nextNonce = 0n;
  let nextBlockMs = BLOCK;
  const done = { payments: 0, transactions: 0, read: 0, longestWaitMs: 0 };
  const arrivals: { readonly atMs: number; readonly item: LaneItem }[] = [];
  const queue: { readonly atMs: number; readonly item: LaneItem }[] = [];
  let pending: (PendingBatch & { mined: boolean })[] = [];
  /** The API claims one payment after another. */
  const pay = (fromMs: number) => {
    nextClaimMs = Math.max(nextClaimMs, fromMs) + CLAIM;
    claimed += 1;
    arrivals.push({ atMs: nextClaimMs, item: itemOf(claimed) });
  };
  const pass = (ms: number) => {
    nowMs += ms;
    for (; nextBlockMs <= nowMs; nextBlockMs += BLOCK) mineBlock(nextBlockMs);
    const arrived = arrivals.findIndex(({ atMs }) => atMs > nowMs);
    queue.push(...arrivals.splice(0, arrived < 0 ? arrivals.length : arrived));
  };
  /** In nonce order, while the gas limit of the next transaction fits the block. */
  const mineBlock = (atMs: number) => {
    let left = BLOCK_GAS;
    for (const batch of pending) {
      const gas = gasLimit(batch.items, DEFAULT_CALL_GAS);
      if (batch.mined) continue;
      if (batch.sentAtMs > atMs || gas > left) break;
      batch.mined = true;
      left -= gas;
    }
  };
  const store: Partial<LaneStore> = {
    heartbeat: async () => ({ nextNonce, open: true, share: { index: 0, count: 1 }, obstacle: null }),
    loadPendingBatches: async () => {
      pass(ASK);
      return pending;
    },
    peekQueue: async (_lane, _share, limit) => {
      pass(ASK);
      return {
        count: Math.min(limit, queue.length),
        oldestAtMs: queue[0]?.atMs ?? 0,
        solo: false,
        refunds: false,
      };
    },
    loadQueue: async (_lane, _share, limit) => {
      pass(ASK + Math.min(limit, queue.length) * 0.05);
      done.read += Math.min(limit, queue.length);
      return queue.slice(0, limit).map(({ item }) => item);
    },
    storeBatches: async (_lease, batches) => {
      for (const { id, nonce, signed, items } of batches) {
        pass(ASK + items.length * 0.1);
        nextNonce += 1n;
        done.transactions += 1;
        const taken = new Set(items);
        for (const { atMs, item } of queue) {
          if (taken.has(item)) done.longestWaitMs = Math.max(done.longestWaitMs, nowMs - atMs);
        }
        queue.splice(0, queue.length, ...queue.filter(({ item }) => !taken.has(item)));
        pending.push({ id, nonce, status: 'broadcast', sentAtMs: nowMs, transactions: [signed], items, mined: false });
      }
      return true;
    },
    recordAttempts: async () => {},
    recordMined: async (_lease, found) => {
      const ids = new Set(found.map(({ batch }) => batch.id));
      const count = found.reduce((sum, { batch }) => sum + batch.items.length, 0);
      pass(ASK + count * PER_PAYMENT);
      pending = pending.filter(({ id }) => !ids.has(id));
      done.payments += count;
      if ('atOnce' in load) for (let index = 0; index < count; index += 1) pay(nowMs + ANSWER);
      return true;
    },
  };
  const chain: Partial<SequencedChain> = {
    kind: 'sequenced',
    fit: (items) => fitBatch(items, DEFAULT_CALL_GAS),
    simulate: async (items) => {
      pass(SIMULATE + items.length * PER_PAYMENT);
      return { ok: true, outcomes: items.map(() => 'settled' as const), chainTimeSeconds: 0n };
    },
    sign: async (_items, nonce) => ({ transactionId: `tx ${nonce}`, raw: new Uint8Array() }),
    affords: async () => true,
    broadcast: async () => ({ outcome: 'known' }),
    findMined: async (batches) => {
      pass(ASK);
      const mined = new Set(pending.filter((batch) => batch.mined).map(({ id }) => id));
      return batches
        .filter(({ id }) => mined.has(id))
        .map(({ id, transactions, items }) => ({
          batchId: id,
          transactionId: transactions[0]?.transactionId ?? '',
          blockNumber: 1n,
          blockHash: '',
          confirmations: 1n,
          reverted: false,
          gasCostAtomic: 0n,
          feeRecipient: '',
          items: items.map(({ paymentId }) => ({ paymentId, outcome: 'no_evidence' as const })),
        }));
    },
    minedNonce: async () => nextNonce,
    nonceRange: async () => ({ lowest: nextNonce, highest: nextNonce }),
  };
  const deps = { store, chain, clock: { nowMs: () => Math.floor(nowMs) }, pace, log: () => {} } as unknown as LaneDeps;
  const lease = { network: evmNetwork(84_532), relayer: '0x5e', epoch: 1n };
  if ('atOnce' in load) for (let index = 0; index < load.atOnce; index += 1) pay(0);
  else for (let atMs = 0; atMs < forMs; atMs += 1_000 / load.perSecond) pay(atMs);
  const clock = () => nowMs;
  while (clock() < forMs) {
    const end = await laneRound(deps, lease);
    pass(end === 'moved' ? 0 : pace.pollMs);
  }
  return done;
}
