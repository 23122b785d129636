// The memory store compared with Postgres: one generated sequence of calls, with right and wrong epochs, nonces, items and
// blocks, gets the same answers from both, and leaves the same rows.
import {
  type ClaimedPayment,
  FIRST_AUTHORIZATION,
  type Lane,
  type LaneItem,
  type LaneLease,
  laneKey,
  type MinedBatch,
  type OpenAuthorization,
  type PendingBatch,
} from '@svc-pay/core';
import { answerOf, createMemoryHarness, hexKey, plain, type Tables } from '@svc-pay/core/testing';
import type { StoreHarness } from '@svc-pay/core/testing/contracts';
import { createApiStores } from '@svc-pay/postgres';
import { createPostgresHarness } from '@svc-pay/postgres/testing';
import { newId } from '@svc-pay/protocol/ids';
import { expect, test } from 'vitest';
import { createDice } from '../../chaos/harness/dice.ts';

const PAYMENTS = 8;
const CALLS = 160;

async function world() {
  const real = await createPostgresHarness();
  const memory = createMemoryHarness(real.nowMs);
  const { pool, network, settling, lanes, stranded } = real;
  for (let index = 0; index < PAYMENTS; index += 1) {
    real.pass(1_000);
    await real.queuePayment();
  }
  const clock = { nowMs: real.nowMs };
  const api = createApiStores({ pool, url: '', ping: async () => {}, close: async () => {} }, { clock, cacheMs: 0 });
  const open = await stranded.loadOpenAuthorizations(network, FIRST_AUTHORIZATION, 2n ** 62n, 100);
  for (const item of await settling.loadQueue(lanes[0], { index: 0, count: 1 }, 100)) {
    const { accountId, mode } = item;
    const read = await api.loadStatus({ accountId, mode } as never, item.intentId);
    const signed = open.find(({ intentId }) => intentId === item.intentId);
    copyPayment(memory.tables, item, signed!, read!);
  }
  return { real, memory };
}

/** The rows of a payment that Postgres has queued. */
function copyPayment(
  tables: Tables,
  item: LaneItem,
  signed: OpenAuthorization,
  { intent, payment }: NonNullable<Awaited<ReturnType<ReturnType<typeof createApiStores>['loadStatus']>>>,
): void {
  const { accountId, mode, intentId, paymentId, payout, signature } = item;
  tables.intents.set(intentId, { intent, paymentId, version: 2, eventSequence: 1 });
  tables.payments.set(paymentId, payment!);
  const { createdAtMs, network } = payment!;
  tables.authorizations.set(hexKey(signed.claimKey), {
    ...signed,
    accountId,
    mode,
    intentId,
    paymentId,
    payout,
    signature,
    network,
    createdAtMs,
    closedAtMs: null,
  });
  tables.settlements.set(paymentId, {
    item,
    claimKey: hexKey(signed.claimKey),
    network,
    createdAtMs,
    status: 'queued',
    relayer: null,
    batchId: null,
    batchLimit: null,
    retryAtMs: null,
    refusal: null,
    revertedBatches: [],
  });
}

const outcomesFor = ['settled', 'settled', 'settled', 'insufficient_funds', 'expired', 'authorization_used'] as const;

function minedOf(batch: PendingBatch, dice: ReturnType<typeof createDice>, block: bigint): MinedBatch {
  const reverted = dice.roll() < 0.15;
  return {
    batchId: batch.id,
    transactionId: dice.pick(batch.transactions).transactionId,
    blockNumber: block,
    blockHash: `0x${block.toString(16)}${Math.floor(dice.roll() * 3)}`,
    confirmations: 9n,
    reverted,
    gasCostAtomic: 1_000_003n,
    feeRecipient: `0x${'fe'.repeat(20)}`,
    items: batch.items.map(({ paymentId, settledAtomic, payout }, index) => {
      const outcome = reverted ? 'reverted' : dice.pick(outcomesFor);
      if (outcome !== 'settled') return { paymentId, outcome };
      const feeAtomic = (settledAtomic * BigInt(payout.feeBps)) / 10_000n;
      return { paymentId, outcome, logIndex: 2 * index + 1, transferLogIndex: 2 * index, feeAtomic, escrowedFor: [] };
    }),
  };
}

test.for([1, 3, 5])('the same calls get the same answers from memory and from Postgres, sequence %i', async (seed) => {
  const { real, memory } = await world();
  const { tables } = memory;
  const { network, nowMs, pass } = real;
  const all = [...real.lanes, real.recovery];
  const dice = createDice(seed);
  const epochs = new Map<Lane, bigint>(all.map((lane) => [lane, 0n]));
  const pending = new Map<Lane, readonly PendingBatch[]>();
  let queue: readonly LaneItem[] = [];
  let block = 100n;
  const counts = new Map<string, number>();
  const both = async (name: string, call: (one: StoreHarness) => Promise<unknown>): Promise<unknown> => {
    const [ours, theirs] = [await answerOf(() => call(memory)), await answerOf(() => call(real))];
    expect({ name, answer: ours }).toEqual({ name, answer: theirs });
    counts.set(name, (counts.get(name) ?? 0) + 1);
    return theirs;
  };
  const calls: Readonly<Record<string, (lane: Lane, lease: LaneLease) => Promise<unknown>>> = {
    takeOver: async (lane) => {
      await both('takeOver', (one) => one.settling.takeOver(lane));
      epochs.set(lane, tables.relayers.get(laneKey(lane))!.epoch);
    },
    heartbeat: (_, lease) => both('heartbeat', (one) => one.settling.heartbeat(lease)),
    queue: async (lane) => {
      const share = { index: Math.floor(dice.roll() * 2), count: dice.roll() < 0.5 ? 1 : 2 };
      if (share.count === 1) share.index = 0;
      await both('peekQueue', (one) => one.settling.peekQueue(lane, share, 5));
      await both('loadQueue', (one) => one.settling.loadQueue(lane, share, 5));
      queue = await memory.settling.loadQueue(lane, share, 5);
    },
    pendingBatches: async (lane) => {
      await both('loadPendingBatches', (one) => one.settling.loadPendingBatches(lane));
      pending.set(lane, await memory.settling.loadPendingBatches(lane));
    },
    storeBatches: (lane, lease) => {
      const first = tables.relayers.get(laneKey(lane))!.nextNonce + (dice.roll() < 0.1 ? 1n : 0n);
      const items = queue.filter(() => dice.roll() < 0.5).slice(0, 3);
      if (items.length === 0) return Promise.resolve();
      // All in one transaction, or each in one of its own.
      const carried = dice.roll() < 0.5 ? [items] : items.map((item) => [item]);
      const batches = carried.map((own, index) => {
        const [id, nonce] = [newId('batch', nowMs()), first + BigInt(index)];
        const raw = Buffer.from(`${id} ${nonce}`);
        return { id, nonce, signed: { transactionId: `0x${raw.toString('hex')}`, raw }, items: own };
      });
      return both('storeBatches', (one) => one.settling.storeBatches(lease, batches));
    },
    storeTransaction: (lane, lease) => {
      const batch = pending.get(lane)?.at(0);
      if (batch === undefined) return Promise.resolve();
      const raw = Buffer.from(`${batch.id} dearer ${Math.floor(dice.roll() * 1e9)}`);
      const signed = { transactionId: `0x${raw.toString('hex')}`, raw };
      return both('storeTransaction', (one) => one.settling.storeTransaction(lease, batch.id, signed));
    },
    recordAttempts: (lane, lease) => {
      const attempts = (pending.get(lane) ?? []).map((batch) => {
        const link = dice.pick(batch.transactions).transactionId;
        return { batch, taken: dice.roll() < 0.8, ...(dice.roll() < 0.7 && { link }) };
      });
      return both('recordAttempts', (one) => one.settling.recordAttempts(lease, attempts));
    },
    recordSeen: (lane, lease) => {
      const found = (pending.get(lane) ?? [])
        .slice(0, 1)
        .map((batch) => ({ batch, mined: minedOf(batch, dice, block) }));
      return both('recordSeen', (one) => one.settling.recordSeen(lease, found));
    },
    recordMined: async (lane, lease) => {
      await calls['pendingBatches']!(lane, lease);
      block += 1n;
      const batches = (pending.get(lane) ?? []).slice(0, dice.roll() < 0.5 ? 1 : 3);
      const found = batches.map((batch) => ({ batch, mined: minedOf(batch, dice, block) }));
      if (found.length === 0) return;
      await both('recordMined', (one) => one.settling.recordMined(lease, found));
    },
    recordUnsent: (_, lease) => {
      if (dice.roll() < 0.6) return Promise.resolve();
      const unsent = queue
        .slice(0, 1)
        .map((item) => ({ item, outcome: dice.pick(['expired', 'authorization_used'] as const) }));
      return both('recordUnsent', (one) => one.settling.recordUnsent(lease, unsent));
    },
    recordReplaced: (lane, lease) => {
      const batch = pending.get(lane)?.at(-1);
      if (batch === undefined || dice.roll() < 0.6) return Promise.resolve();
      return both('recordReplaced', (one) => one.settling.recordReplaced(lease, batch.id));
    },
    defer: (_, lease) => both('defer', (one) => one.settling.defer(lease, queue.slice(0, 1), nowMs() + 2_000)),
    obstacle: (_, lease) => {
      const obstacle = dice.pick([null, 'nonce_gap'] as const);
      return both('noteObstacle', (one) => one.settling.noteObstacle(lease, obstacle));
    },
    advance: (lane, lease) => {
      const { nextNonce } = tables.relayers.get(laneKey(lane))!;
      return both('advanceNonce', (one) => one.settling.advanceNonce(lease, nextNonce, nextNonce + 1n));
    },
    fallAsleep: (_, lease) => both('fallAsleep', (one) => one.settling.fallAsleep(lease)),
    forgotten: async () => {
      const since = nowMs() - 5_000;
      await both('findForgottenLanes', async (one) => (await one.findForgottenLanes(since)).map(laneKey).toSorted());
    },
    finality: async () => {
      const finalized = block - BigInt(Math.floor(dice.roll() * 4));
      await both('loadAgeingBatches', ({ finality }) => finality.loadAgeingBatches(network, finalized, 10));
      for (const { id } of await memory.finality.loadAgeingBatches(network, finalized, 1)) {
        await both('the next page', ({ finality }) => finality.loadAgeingBatches(network, finalized, 10, id));
      }
      await both('loadBatchBlocks', ({ finality }) => finality.loadBatchBlocks(network, finalized, 10));
      for (const batch of await memory.finality.loadAgeingBatches(network, finalized, 1)) {
        const outcomes = batch.openItems.map(() =>
          dice.pick(['insufficient_funds', 'reverted', 'no_evidence'] as const),
        );
        await both('recordFinal', ({ finality }) => finality.recordFinal(batch, outcomes, nowMs()));
      }
    },
    reorg: async () => {
      const [batchBlock] = await memory.finality.loadBatchBlocks(network, 0n, 1);
      if (batchBlock === undefined) return;
      await both('loadRecordedBatch', ({ finality }) => finality.loadRecordedBatch(batchBlock.id));
      const batch = await memory.finality.loadRecordedBatch(batchBlock.id);
      const hash = dice.roll() < 0.2 ? '0xother' : batchBlock.blockHash;
      if (batch === undefined || dice.roll() < 0.5) {
        await both('reverseBatch', ({ finality }) => finality.reverseBatch(batchBlock.id, hash, nowMs()));
        return;
      }
      block += 1n;
      const anywhere = minedOf(batch, dice, block);
      const items = anywhere.items.map(({ paymentId }, index) =>
        batch.settledIds.has(paymentId)
          ? {
              paymentId,
              outcome: 'settled' as const,
              logIndex: 2 * index + 1,
              transferLogIndex: 2 * index,
              feeAtomic: (batch.items[index]!.settledAtomic * BigInt(batch.items[index]!.payout.feeBps)) / 10_000n,
              escrowedFor: [],
            }
          : { paymentId, outcome: 'insufficient_funds' as const },
      );
      const moved = { ...anywhere, reverted: false, items };
      const options = { nowMs: nowMs(), gasCoin: undefined };
      await both('moveBatch', ({ finality }) => finality.moveBatch(batch, hash, moved, options));
    },
  };
  const held = async () => {
    await both('loadHeldPayments', ({ stranded }) => stranded.loadHeldPayments(network, 0n, 10));
    return dice.shuffled(await memory.stranded.loadHeldPayments(network, 0n, 10))[0];
  };
  const watches: Readonly<Record<string, (payment: ClaimedPayment) => Promise<unknown>>> = {
    strand: (payment) => {
      const position = { transactionId: `0x${payment.item.paymentId}`, logIndex: 2 };
      return both('recordStranding', ({ stranded }) =>
        stranded.recordStranding({ ...payment, network, position }, nowMs()),
      );
    },
    fail: (payment) => both('failHeld', ({ stranded }) => stranded.failHeld(payment, 'intent_not_payable', nowMs())),
    queue: (payment) => both('queueHeld', ({ stranded }) => stranded.queueHeld([payment], nowMs())),
  };
  const resolve = async () => {
    const lease = { ...real.recovery, epoch: epochs.get(real.recovery)! };
    const share = { index: 0, count: 1 };
    await both('loadQueue of transfers', ({ resolving }) => resolving.loadQueue(lease, share, 5));
    const [item] = await memory.resolving.loadQueue(lease, share, 1);
    if (item !== undefined) {
      const { nextNonce: nonce } = tables.relayers.get(laneKey(lease))!;
      const id = newId('batch', nowMs());
      const signed = { transactionId: `0x${id}`, raw: Buffer.from(id) };
      await both('store a transfer', ({ resolving }) =>
        resolving.storeBatches(lease, [{ id, nonce, signed, items: [item] }]),
      );
    }
    await both('pending transfers', ({ resolving }) => resolving.loadPendingBatches(lease));
    const [batch] = await memory.resolving.loadPendingBatches(lease);
    if (batch === undefined) return;
    block += 1n;
    const mined = minedOf(batch, dice, block);
    const items = mined.items.map((part) =>
      part.outcome === 'settled' && batch.items[0]?.strandedTransfer?.action === 'return'
        ? { ...part, feeAtomic: 0n }
        : part,
    );
    await both('record a transfer', ({ resolving }) =>
      resolving.recordMined(lease, [{ batch, mined: { ...mined, items } }]),
    );
  };
  for (const lane of all) await calls['takeOver']!(lane, { ...lane, epoch: 0n });
  for (let call = 0; call < CALLS; call += 1) {
    pass(100 + Math.floor(dice.roll() * 900));
    const lane = dice.pick(real.lanes);
    const epoch = epochs.get(lane)! - (dice.roll() < 0.15 ? 1n : 0n);
    if (dice.roll() < 0.3) await calls['queue']!(lane, { ...lane, epoch });
    await calls[dice.pick(Object.keys(calls))]!(lane, { ...lane, epoch });
    const payment = dice.roll() < 0.2 ? await held() : undefined;
    if (payment !== undefined) await watches[dice.pick(Object.keys(watches))]!(payment);
    if (dice.roll() < 0.1) await resolve();
  }
  expect([...counts.keys()].length).toBeGreaterThan(18);
  expect(await rowsOf(memory)).toEqual(await rowsOf(real));
});

/** What is left, in one order, without the intents' first events. */
async function rowsOf(harness: StoreHarness): Promise<unknown> {
  const { events, ...rows } = await harness.read();
  const sorted = (some: readonly object[]) => some.map((row) => JSON.stringify(plain(row))).toSorted();
  return {
    ...Object.fromEntries(Object.entries(rows).map(([name, some]) => [name, sorted(some)])),
    events: sorted(events.filter(({ sequence }) => sequence > 1)),
  };
}
