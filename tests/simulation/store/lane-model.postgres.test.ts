// The model of lanes and finality, held to PostgreSQL: one generated sequence of calls, with right and wrong epochs, nonces,
// items and blocks, gets the same answers from both, and leaves the same behind.
import {
  type FinalityStore,
  type Lane,
  type LaneItem,
  type LaneLease,
  type LaneStore,
  laneKey,
  type MinedBatch,
  type PendingBatch,
} from '@svc-pay/core';
import {
  answerOf,
  createMemoryFinalityStore,
  createMemoryLaneStore,
  createTables,
  findForgottenLanes as findForgottenInModel,
  plain,
  type Statement,
  seedRelayer,
} from '@svc-pay/core/testing';
import { createApiStores } from '@svc-pay/postgres';
import {
  createFinalityStore,
  createLaneStore,
  findForgottenLanes,
  registerRelayer,
} from '@svc-pay/postgres/settlement-service';
import { createTestDatabase, queuePayment, seedMerchant } from '@svc-pay/postgres/testing';
import { evmNetwork } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import { expect, test } from 'vitest';
import { createDice } from '../../chaos/harness/dice.ts';

const NETWORK = evmNetwork(84_532);
const LANES: readonly Lane[] = ['5e', '6e'].map((byte) => ({ network: NETWORK, relayer: `0x${byte.repeat(20)}` }));
const FIRST_NONCE = 7n;
const PAYMENTS = 8;
const CALLS = 140;
const START_MS = 1_790_000_000_000;

const statement: Statement = async (_name, action) => action();

type Both = { readonly store: LaneStore; readonly finality: FinalityStore };

async function world() {
  const { pool } = await createTestDatabase();
  let nowMs = START_MS;
  const clock = { nowMs: () => nowMs };
  const caller = await seedMerchant(pool, { tokens: ['basesepolia_usdc'] });
  for (const lane of LANES) {
    await registerRelayer(pool, { ...lane, mode: 'test', duty: 'settle' }, async () => FIRST_NONCE, nowMs);
  }
  const real: Both = {
    store: createLaneStore(pool, { clock, gasCoinRate: () => undefined }),
    finality: createFinalityStore(pool),
  };
  const api = createApiStores({ pool, url: '', ping: async () => {}, close: async () => {} }, { clock, cacheMs: 0 });
  const tables = createTables();
  for (const lane of LANES) seedRelayer(tables, lane, FIRST_NONCE);
  const queuedAtMs = new Map<string, number>();
  for (let index = 0; index < PAYMENTS; index += 1) {
    nowMs += 1_000;
    queuedAtMs.set((await queuePayment(pool, caller, { nowMs })).paymentId, nowMs);
  }
  for (const item of await real.store.loadQueue(LANES[0]!, { index: 0, count: 1 }, 100)) {
    const read = await api.loadStatus(caller, item.intentId);
    tables.intents.set(item.intentId, {
      intent: read!.intent,
      paymentId: item.paymentId,
      version: 2,
      eventSequence: 1,
    });
    tables.payments.set(item.paymentId, read!.payment!);
    tables.settlements.set(item.paymentId, {
      item,
      claimKey: item.paymentId,
      network: NETWORK,
      createdAtMs: queuedAtMs.get(item.paymentId)!,
      status: 'queued',
      relayer: null,
      batchId: null,
      batchLimit: null,
      retryAtMs: null,
      revertedBatches: [],
    });
  }
  const model: Both = {
    store: createMemoryLaneStore(tables, statement, clock),
    finality: createMemoryFinalityStore(tables, statement),
  };
  return { pool, tables, real, model, clock, pass: (ms: number) => (nowMs += ms) };
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

test.for([1, 3, 5])(
  'lanes and finality: the same calls get the same answers from the model, sequence %i',
  async (seed) => {
    const { pool, tables, real, model, clock, pass } = await world();
    const dice = createDice(seed);
    const epochs = new Map<Lane, bigint>(LANES.map((lane) => [lane, 0n]));
    const pending = new Map<Lane, readonly PendingBatch[]>();
    let queue: readonly LaneItem[] = [];
    let block = 100n;
    const counts = new Map<string, number>();
    const both = async (name: string, call: (one: Both) => Promise<unknown>): Promise<unknown> => {
      const [ours, theirs] = [await answerOf(() => call(model)), await answerOf(() => call(real))];
      expect({ name, answer: ours }).toEqual({ name, answer: theirs });
      counts.set(name, (counts.get(name) ?? 0) + 1);
      return theirs;
    };
    const calls: Readonly<Record<string, (lane: Lane, lease: LaneLease) => Promise<unknown>>> = {
      takeOver: async (lane) => {
        await both('takeOver', ({ store }) => store.takeOver(lane));
        epochs.set(lane, tables.relayers.get(laneKey(lane))!.epoch);
      },
      heartbeat: (_, lease) => both('heartbeat', ({ store }) => store.heartbeat(lease)),
      queue: async (lane) => {
        const share = { index: Math.floor(dice.roll() * 2), count: dice.roll() < 0.5 ? 1 : 2 };
        if (share.count === 1) share.index = 0;
        await both('peekQueue', ({ store }) => store.peekQueue(lane, share, 5));
        await both('loadQueue', ({ store }) => store.loadQueue(lane, share, 5));
        queue = await model.store.loadQueue(lane, share, 5);
      },
      pendingBatches: async (lane) => {
        await both('loadPendingBatches', ({ store }) => store.loadPendingBatches(lane));
        pending.set(lane, await model.store.loadPendingBatches(lane));
      },
      storeBatches: (lane, lease) => {
        const first = tables.relayers.get(laneKey(lane))!.nextNonce + (dice.roll() < 0.1 ? 1n : 0n);
        const items = queue.filter(() => dice.roll() < 0.5).slice(0, 3);
        if (items.length === 0) return Promise.resolve();
        // All in one transaction, or each in one of its own.
        const carried = dice.roll() < 0.5 ? [items] : items.map((item) => [item]);
        const batches = carried.map((own, index) => {
          const [id, nonce] = [newId('batch', clock.nowMs()), first + BigInt(index)];
          const raw = Buffer.from(`${id} ${nonce}`);
          return { id, nonce, signed: { transactionId: `0x${raw.toString('hex')}`, raw }, items: own };
        });
        return both('storeBatches', ({ store }) => store.storeBatches(lease, batches));
      },
      storeTransaction: (lane, lease) => {
        const batch = pending.get(lane)?.at(0);
        if (batch === undefined) return Promise.resolve();
        const raw = Buffer.from(`${batch.id} dearer ${Math.floor(dice.roll() * 1e9)}`);
        const signed = { transactionId: `0x${raw.toString('hex')}`, raw };
        return both('storeTransaction', ({ store }) => store.storeTransaction(lease, batch.id, signed));
      },
      markBroadcast: (lane, lease) => {
        const ids = (pending.get(lane) ?? []).map(({ id }) => id);
        return both('markBroadcast', ({ store }) => store.markBroadcast(lease, ids));
      },
      recordMined: async (lane, lease) => {
        await calls['pendingBatches']!(lane, lease);
        block += 1n;
        const batches = (pending.get(lane) ?? []).slice(0, dice.roll() < 0.5 ? 1 : 3);
        const found = batches.map((batch) => ({ batch, mined: minedOf(batch, dice, block) }));
        if (found.length === 0) return;
        await both('recordMined', ({ store }) => store.recordMined(lease, found));
      },
      recordUnsent: (_, lease) => {
        if (dice.roll() < 0.6) return Promise.resolve();
        const unsent = queue
          .slice(0, 1)
          .map((item) => ({ item, outcome: dice.pick(['expired', 'authorization_used'] as const) }));
        return both('recordUnsent', ({ store }) => store.recordUnsent(lease, unsent));
      },
      recordReplaced: (lane, lease) => {
        const batch = pending.get(lane)?.at(-1);
        if (batch === undefined || dice.roll() < 0.6) return Promise.resolve();
        return both('recordReplaced', ({ store }) => store.recordReplaced(lease, batch.id));
      },
      defer: (_, lease) => both('defer', ({ store }) => store.defer(lease, queue.slice(0, 1), clock.nowMs() + 2_000)),
      obstacle: (_, lease) => {
        const obstacle = dice.pick([null, 'nonce_gap'] as const);
        return both('noteObstacle', ({ store }) => store.noteObstacle(lease, obstacle));
      },
      advance: (lane, lease) => {
        const { nextNonce } = tables.relayers.get(laneKey(lane))!;
        return both('advanceNonce', ({ store }) => store.advanceNonce(lease, nextNonce, nextNonce + 1n));
      },
      fallAsleep: (_, lease) => both('fallAsleep', ({ store }) => store.fallAsleep(lease)),
      forgotten: async () => {
        const since = clock.nowMs() - 5_000;
        const [ours, theirs] = [findForgottenInModel(tables, since), await findForgottenLanes(pool, since)];
        const sorted = (lanes: readonly Lane[]) => lanes.map(laneKey).toSorted();
        expect(sorted(ours)).toEqual(sorted(theirs));
      },
      finality: async () => {
        const finalized = block - BigInt(Math.floor(dice.roll() * 4));
        await both('loadAgeingBatches', ({ finality }) => finality.loadAgeingBatches(NETWORK, finalized, 10));
        for (const { id } of await model.finality.loadAgeingBatches(NETWORK, finalized, 1)) {
          await both('the next page', ({ finality }) => finality.loadAgeingBatches(NETWORK, finalized, 10, id));
        }
        await both('loadBatchBlocks', ({ finality }) => finality.loadBatchBlocks(NETWORK, finalized, 10));
        for (const batch of await model.finality.loadAgeingBatches(NETWORK, finalized, 1)) {
          const outcomes = batch.openItems.map(() =>
            dice.pick(['insufficient_funds', 'reverted', 'no_evidence'] as const),
          );
          await both('recordFinal', ({ finality }) => finality.recordFinal(batch, outcomes, clock.nowMs()));
        }
      },
      reorg: async () => {
        const [batchBlock] = await model.finality.loadBatchBlocks(NETWORK, 0n, 1);
        if (batchBlock === undefined) return;
        await both('loadRecordedBatch', ({ finality }) => finality.loadRecordedBatch(batchBlock.id));
        const batch = await model.finality.loadRecordedBatch(batchBlock.id);
        const hash = dice.roll() < 0.2 ? '0xother' : batchBlock.blockHash;
        if (batch === undefined || dice.roll() < 0.5) {
          await both('reverseBatch', ({ finality }) => finality.reverseBatch(batchBlock.id, hash, clock.nowMs()));
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
        const options = { nowMs: clock.nowMs(), gasCoin: undefined };
        await both('moveBatch', ({ finality }) => finality.moveBatch(batch, hash, moved, options));
      },
    };
    for (const lane of LANES) await calls['takeOver']!(lane, { ...lane, epoch: 0n });
    for (let call = 0; call < CALLS; call += 1) {
      pass(100 + Math.floor(dice.roll() * 900));
      const lane = dice.pick(LANES);
      const epoch = epochs.get(lane)! - (dice.roll() < 0.15 ? 1n : 0n);
      if (dice.roll() < 0.3) await calls['queue']!(lane, { ...lane, epoch });
      await calls[dice.pick(Object.keys(calls))]!(lane, { ...lane, epoch });
    }
    expect([...counts.keys()].length).toBeGreaterThan(14);
    expect(await leftInPostgres(pool)).toEqual(leftInModel(tables));
  },
);

type Pool = Awaited<ReturnType<typeof createTestDatabase>>['pool'];

async function leftInPostgres(pool: Pool) {
  const rows = async (text: string) => sorted((await pool.query<Record<string, unknown>>(text)).rows);
  return {
    payments: await rows(
      `select p.id, p.status, p.transaction_id as transaction, p.transaction_split_id as split, p.paid_amount::text as paid,
         s.status as settlement, s.batch_id as batch, s.batch_limit as limit, i.status as intent,
         i.event_sequence as sequence
       from svc.payments p join svc.settlements s on s.payment_id = p.id join svc.intents i on i.id = p.intent_id`,
    ),
    entries: await rows(
      `select payment_id as payment, asset, account_name as name, party, amount::text as amount,
         transaction_id as transaction, reverses is null as live
       from svc.ledger_entries`,
    ),
    losses: await rows(
      `select batch_id as batch, payment_id as payment, account_id as account, payer, cause, amount::text as amount,
         transaction_id as transaction, reverses is null as live
       from svc.gas_losses`,
    ),
    batches: await rows('select id, status, gas_booked as gas from svc.batches'),
    events: await rows('select intent_id as intent, sequence, type from svc.events where sequence > 1'),
  };
}

function leftInModel(tables: ReturnType<typeof createTables>) {
  const { settlements, payments, intents, entries, losses, batches, events } = tables;
  return {
    payments: sorted(
      [...settlements.values()].map(({ item, status, batchId, batchLimit }) => {
        const payment = payments.get(item.paymentId)!;
        const row = intents.get(item.intentId)!;
        return {
          id: item.paymentId,
          status: payment.status,
          transaction: payment.transactionId,
          split: payment.transactionSplitId,
          paid: payment.paidAmount?.toString() ?? null,
          settlement: status,
          batch: batchId,
          limit: batchLimit,
          intent: row.intent.status,
          sequence: row.eventSequence,
        };
      }),
    ),
    entries: sorted(
      entries.map(({ paymentId, asset, accountName, party, amountAtomic, transactionId, reverses }) => ({
        payment: paymentId,
        asset,
        name: accountName,
        party,
        amount: amountAtomic.toString(),
        transaction: transactionId,
        live: reverses === null,
      })),
    ),
    losses: sorted(
      losses.map(({ batchId, paymentId, accountId, payer, cause, amountAtomic, transactionId, reverses }) => ({
        batch: batchId,
        payment: paymentId,
        account: accountId,
        payer,
        cause,
        amount: amountAtomic.toString(),
        transaction: transactionId,
        live: reverses === null,
      })),
    ),
    batches: sorted([...batches.values()].map(({ id, status, gasBooked }) => ({ id, status, gas: gasBooked }))),
    events: sorted([...events.values()].map(({ intentId, sequence, type }) => ({ intent: intentId, sequence, type }))),
  };
}

const sorted = (rows: readonly object[]) =>
  rows.toSorted((one, other) => compare(Object.values(one), Object.values(other))).map(plain);

function compare(one: readonly unknown[], other: readonly unknown[]): number {
  for (const [index, value] of one.entries()) {
    const [left, right] = [value as string, other[index] as string];
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}
