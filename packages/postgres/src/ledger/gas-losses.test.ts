import {
  type FoundBatch,
  type LaneLease,
  laneRound,
  type MinedBatch,
  outcomesOf,
  type PendingBatch,
  systemClock,
} from '@svc-pay/core';
import { parseRate, token } from '@svc-pay/money';
import { describe, expect, test } from 'vitest';
import { loadAgeingBatches, recordFinal } from '../finality/finalize-batches.ts';
import { loadBatchBlocks, loadRecordedBatch } from '../finality/mined-batches.ts';
import { moveBatch } from '../finality/move-batch.ts';
import { reverseBatch } from '../finality/reverse-reorged-batch.ts';
import { createLaneStore } from '../lane/lane-store.ts';
import { registerRelayer } from '../lane/relayers.ts';
import { completeHeld } from '../stranded/record-authorization-outcome.ts';
import { createStrandedLaneStore } from '../stranded/stranded-lane-store.ts';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { createLaneWorld, FIRST_NONCE, type LaneWorld } from '../testing/lane-world.ts';
import type { GasSpent } from './book-gas.ts';

/** Gas cost of every transaction on the fake chain. */
const COST = 1_000_003n;
const world = async () => createLaneWorld((await createTestDatabase()).pool);

type Loss = { readonly payment_id: string | null; readonly cause: string; readonly amount: bigint };

const lossesOf = async ({ pool }: LaneWorld): Promise<readonly Loss[]> => {
  const { rows } = await pool.query('select payment_id, cause, amount from svc.gas_losses order by payment_id, id');
  return rows.map((row) => ({ ...row, amount: BigInt(row.amount) }));
};

/** Booked gas by transaction id: shares of settled payments plus losses. */
async function booked({ pool }: LaneWorld): Promise<Readonly<Record<string, bigint>>> {
  const { rows } = await pool.query<{ id: string; sum: string }>(
    `select transaction_id as id, sum(amount)::text as sum from (
       select transaction_id, amount from svc.ledger_entries where asset = 'native' and party = 'network'
       union all select transaction_id, amount from svc.gas_losses
     ) booked group by transaction_id`,
  );
  return Object.fromEntries(rows.map(({ id, sum }) => [id, BigInt(sum)]));
}

const flags = async ({ pool }: LaneWorld) =>
  (await pool.query<{ gas_booked: boolean }>('select gas_booked from svc.batches order by nonce')).rows.map(
    ({ gas_booked }) => gas_booked,
  );

/** Sends and mines the queued payments, and returns the batches found on chain. Nothing is recorded yet. */
async function send(lane: LaneWorld): Promise<{ lease: LaneLease; found: readonly FoundBatch[] }> {
  const lease = await lane.takeLease();
  await laneRound(lane.deps, lease);
  lane.chain.mine();
  const pendingBatches = await lane.store.loadPendingBatches(lane.lane);
  const mined = await lane.chain.findMined(pendingBatches);
  return { lease, found: pendingBatches.map((batch, index) => ({ batch, mined: mined[index] as MinedBatch })) };
}

const batchBlockOf = async ({ pool, lane }: LaneWorld) => {
  const [batchBlock] = await loadBatchBlocks(pool, lane.network, 0n, 10);
  if (batchBlock === undefined) throw new Error('no batch');
  return batchBlock;
};

describe('a batch of one settled payment and three failed ones', () => {
  async function mixed(lane: LaneWorld) {
    const payments = await lane.queue(4);
    for (const [index, outcome] of (['expired', 'insufficient_funds', 'pull_refused'] as const).entries())
      lane.chain.spoil(payments[index + 1] ?? '', outcome, 'mined');
    return payments;
  }

  test('books to the failed ones what they carry, with payer, account, batch and cause, and nothing of it to the settled', async () => {
    const lane = await world();
    const [settled, ...failed] = await mixed(lane);
    const { lease, found } = await send(lane);
    expect(await lane.store.recordMined(lease, found)).toBe(true);
    const { rows } = await lane.pool.query(
      `select l.payment_id, l.cause, l.amount, l.batch_id, l.transaction_id, l.network, l.relayer, l.account_id, l.mode,
         l.payer = lower(p.payer) as of_payer, l.reverses
       from svc.gas_losses l join svc.payments p on p.id = l.payment_id order by l.payment_id`,
    );
    const { id: batch_id } = found[0]!.batch;
    const common = { batch_id, transaction_id: found[0]!.mined.transactionId, ...lane.lane, of_payer: true };
    const owner = { account_id: lane.caller.accountId, mode: 'test', reverses: null };
    // One share for a payment that a check refused, five if the
    // token was called. The first failed one has the remainder.
    expect(rows).toEqual(
      [
        { payment_id: failed[0], cause: 'expired', amount: '83336' },
        { payment_id: failed[1], cause: 'insufficient_funds', amount: '416667' },
        { payment_id: failed[2], cause: 'pull_refused', amount: '416667' },
      ].map((row) => ({ ...row, ...common, ...owner })),
    );
    const carried = await lane.pool.query(
      "select payment_id, amount from svc.ledger_entries where asset = 'native' and party = 'network'",
    );
    expect(carried.rows).toEqual([{ payment_id: settled, amount: '83333' }]);
    expect(await booked(lane)).toEqual({ [found[0]!.mined.transactionId]: COST });
    expect(await flags(lane)).toEqual([true]);
  });

  test('leaves the merchant of the settled one no dearer than if the others were not there', async () => {
    const gasCoin = parseRate({ token: token('coin', 6), usdPerToken: '3', source: 'test', observedAtMs: 0 });
    if (!gasCoin.ok) throw new Error(gasCoin.code);
    const costOf = async (lane: LaneWorld, payment: string | undefined) => {
      const store = createLaneStore(lane.pool, { clock: systemClock, gasCoinRate: () => gasCoin.rate });
      const { lease, found } = await send(lane);
      await store.recordMined(lease, found);
      const { rows } = await lane.pool.query('select external_cost_amount as cost from svc.payments where id = $1', [
        payment,
      ]);
      return BigInt(rows[0].cost);
    };
    const [alone, beside] = [await world(), await world()];
    const without = await costOf(alone, (await alone.queue(1))[0]);
    const within = await costOf(beside, (await mixed(beside))[0]);
    expect(without).toBe(3_000_009n);
    // On the fake chain four payments cost as much as one. Each carries its share, and no share of another payment.
    expect(within).toBe(249_999n);
  });

  test('is booked once, however often it is recorded, before its end and after', async () => {
    const lane = await world();
    const payments = await mixed(lane);
    const spent: GasSpent[] = [];
    const store = createLaneStore(lane.pool, {
      clock: systemClock,
      gasCoinRate: () => undefined,
      onGasSpent: (all) => spent.push(...all),
    });
    const { lease, found } = await send(lane);
    for (const _ of [1, 2]) expect(await store.recordMined(lease, found)).toBe(true);
    expect(await booked(lane)).toEqual({ [found[0]!.mined.transactionId]: COST });
    const [batch] = await loadAgeingBatches(lane.pool, lane.lane.network, 1_000n, 10);
    const [seen] = await lane.chain.findMined([{ ...found[0]!.batch, items: batch!.openItems }]);
    await recordFinal(lane.pool, batch!, outcomesOf(batch!, seen!), Date.now());
    expect(await store.recordMined(lease, found)).toBe(true);
    const { rows } = await lane.pool.query('select status from svc.batches');
    expect(rows).toEqual([{ status: 'finalized' }]);
    expect(await lossesOf(lane)).toHaveLength(3);
    expect(await lane.statuses()).toEqual({ completed: 1, failed: 3 });
    expect(spent).toEqual([expect.objectContaining({ network: lane.lane.network, costAtomic: COST, reverted: false })]);
    expect(spent[0]?.lost.map(({ cause }) => cause)).toEqual(['expired', 'insufficient_funds', 'pull_refused']);
    expect(payments).toHaveLength(4);
  });

  test('that a reorganisation takes back loses nothing, until it is mined again', async () => {
    const lane = await world();
    await mixed(lane);
    await lane.settle();
    const { id, blockHash } = await batchBlockOf(lane);
    const both = [1, 2].map(() => reverseBatch(lane.pool, id, blockHash, Date.now()));
    expect((await Promise.all(both)).filter(Boolean)).toHaveLength(1);
    expect(Object.values(await booked(lane))).toEqual([0n]);
    expect(await flags(lane)).toEqual([false]);
    expect(await lossesOf(lane)).toHaveLength(6);
    await lane.settle();
    expect(Object.values(await booked(lane))).toEqual([COST]);
    expect(await flags(lane)).toEqual([true]);
    expect(await lossesOf(lane)).toHaveLength(9);
  });

  test('in another block costs what that block says', async () => {
    const lane = await world();
    await mixed(lane);
    await lane.settle();
    const { id, blockHash } = await batchBlockOf(lane);
    const batch = await loadRecordedBatch(lane.pool, id);
    const [mined] = await lane.chain.findMined([batch as PendingBatch]);
    const moved: MinedBatch = { ...mined!, blockHash: '0xelsewhere', gasCostAtomic: 1_200n };
    for (const is of [true, false])
      expect(await moveBatch(lane.pool, batch!, blockHash, moved, { nowMs: Date.now(), gasCoin: undefined })).toBe(is);
    expect(Object.values(await booked(lane))).toEqual([1_200n]);
    expect(await flags(lane)).toEqual([true]);
    const live = await lane.pool.query(
      `select cause, sum(amount)::integer as lost from svc.gas_losses group by cause order by cause`,
    );
    expect(live.rows).toEqual([
      { cause: 'expired', lost: 100 },
      { cause: 'insufficient_funds', lost: 500 },
      { cause: 'pull_refused', lost: 500 },
    ]);
  });
});

describe('a transaction that reverted as a whole', () => {
  async function reverted(lane: LaneWorld, count: number) {
    const payments = await lane.queue(count);
    lane.chain.revertAbove(0);
    const { lease, found } = await send(lane);
    expect(found.map(({ mined }) => mined.reverted)).toEqual([true]);
    expect(await lane.store.recordMined(lease, found)).toBe(true);
    return { payments, lease, found };
  }

  test('is lost whole, once, in equal parts of its payments', async () => {
    const lane = await world();
    const { payments, lease, found } = await reverted(lane, 3);
    expect(await lane.store.recordMined(lease, found)).toBe(true);
    expect(await lossesOf(lane)).toEqual(
      [333_335n, 333_334n, 333_334n].map((amount, index) => ({
        payment_id: payments[index],
        cause: 'reverted',
        amount,
      })),
    );
  });

  test('stays its payers’ loss where it is moved or taken back after they were queued again', async () => {
    const lane = await world();
    const { payments, lease, found } = await reverted(lane, 3);
    await lane.pool.query("update svc.settlements set status = 'queued', relayer = null, batch_id = null");
    const { id, blockHash } = await batchBlockOf(lane);
    const batch = await loadRecordedBatch(lane.pool, id);
    expect(batch?.items).toEqual([]);
    const moved: MinedBatch = { ...found[0]!.mined, items: [], blockHash: '0xelsewhere', gasCostAtomic: 30n };
    expect(await moveBatch(lane.pool, batch!, blockHash, moved, { nowMs: Date.now(), gasCoin: undefined })).toBe(true);
    const perPayment = async () =>
      (
        await lane.pool.query(
          'select payment_id, sum(amount)::integer as lost from svc.gas_losses group by payment_id order by payment_id',
        )
      ).rows;
    expect(await perPayment()).toEqual(payments.map((payment_id) => ({ payment_id, lost: 10 })));
    expect(await reverseBatch(lane.pool, id, '0xelsewhere', Date.now())).toBe(true);
    expect(await perPayment()).toEqual(payments.map((payment_id) => ({ payment_id, lost: 0 })));
    const again: FoundBatch = { batch: { ...found[0]!.batch, items: [] }, mined: { ...moved, gasCostAtomic: 60n } };
    expect(await lane.store.recordMined(lease, [again])).toBe(true);
    expect(await perPayment()).toEqual(payments.map((payment_id) => ({ payment_id, lost: 20 })));
  });
});

test('a batch of payments that nobody knows, as a restore from the chain leaves it, is lost without a payer', async () => {
  const lane = await world();
  await lane.queue(1);
  const { lease, found } = await send(lane);
  const [one] = found;
  await lane.pool.query("update svc.settlements set status = 'queued', relayer = null, batch_id = null");
  await lane.pool.query('update svc.batches set item_count = 5');
  const restored = { batch: { ...one!.batch, items: [] }, mined: { ...one!.mined, items: [] } };
  expect(await lane.store.recordMined(lease, [restored])).toBe(true);
  const { rows } = await lane.pool.query(
    'select account_id, mode, payment_id, payer, cause, amount from svc.gas_losses',
  );
  expect(rows).toEqual([
    { account_id: null, mode: 'test', payment_id: null, payer: null, cause: 'unknown', amount: COST.toString() },
  ]);
});

test('a held payment that its own batch settled after all carries its part, and is no loss any more', async () => {
  const lane = await world();
  const [heldPayment, other] = await lane.queue(2);
  lane.chain.spoil(heldPayment ?? '', 'authorization_used', 'mined');
  const { lease: own, found } = await send(lane);
  await lane.store.recordMined(own, found);
  await lane.pool.query("update svc.settlements set status = 'held' where payment_id = $1", [heldPayment]);
  const [{ batch, mined } = found[0]!] = found;
  const item = batch.items[0]!;
  const settled = mined.items[1]!;
  expect([item.paymentId, settled.paymentId]).toEqual([heldPayment, other]);
  const told: MinedBatch = {
    ...mined,
    items: [{ ...settled, paymentId: item.paymentId, logIndex: 90 }] as MinedBatch['items'],
  };
  const claimed = { item, intentId: item.intentId } as unknown as Parameters<typeof completeHeld>[2];
  expect(await completeHeld(lane.pool, lane.lane.network, claimed, told, undefined, Date.now())).toBe('completed');
  expect(await lane.statuses()).toEqual({ completed: 2 });
  const carried = await lane.pool.query(
    "select payment_id, amount from svc.ledger_entries where asset = 'native' and party = 'network' order by payment_id",
  );
  expect(carried.rows).toEqual([
    { payment_id: heldPayment, amount: '833336' },
    { payment_id: other, amount: '166667' },
  ]);
  expect((await lossesOf(lane)).reduce((sum, { amount }) => sum + amount, 0n)).toBe(0n);
});

test('the gas of a transaction that did nothing for a stranded transfer is lost too', async () => {
  const lane = await world();
  const [payment] = await lane.queue(1);
  const lease = await lane.takeLease();
  const [item] = await lane.store.loadQueue(lease, { index: 0, count: 1 }, 1);
  await lane.pool.query("update svc.settlements set status = 'held'");
  await lane.pool.query(
    `insert into svc.stranded_transfers (account_id, mode, claim_key, intent_id, payment_id, network, action, status,
       stranded_transaction_id, stranded_log_index, created_at, updated_at)
     select account_id, mode, claim_key, intent_id, payment_id, network, 'settle', 'queued', '0xaa', 1, now(), now()
     from svc.settlements`,
  );
  const own = { network: lane.lane.network, relayer: `0x${'7e'.repeat(20)}` };
  await registerRelayer(
    lane.pool,
    { ...own, mode: 'test', duty: 'resolve_stranded' },
    async () => FIRST_NONCE,
    Date.now(),
  );
  const store = createStrandedLaneStore(lane.pool, { clock: systemClock, gasCoinRate: () => undefined });
  const holder = { ...own, epoch: await store.takeOver(own) };
  const [strandedItem] = await store.loadQueue(holder, { index: 0, count: 1 }, 1);
  expect(strandedItem?.paymentId).toBe(item?.paymentId);
  const signed = { transactionId: '0xbb', raw: new Uint8Array([1]) };
  const stored = { id: 'bat_stranded', nonce: FIRST_NONCE, signed, items: [strandedItem!] };
  expect(await store.storeBatches(holder, [stored])).toBe(true);
  const [batch] = await store.loadPendingBatches(own);
  const mined: MinedBatch = {
    batchId: 'bat_stranded',
    transactionId: '0xbb',
    blockNumber: 1n,
    blockHash: '0xb1',
    confirmations: 1n,
    reverted: true,
    gasCostAtomic: 77n,
    feeRecipient: '0xfe',
    items: [{ paymentId: strandedItem!.paymentId, outcome: 'reverted' }],
  };
  for (const _ of [1, 2]) expect(await store.recordMined(holder, [{ batch: batch!, mined }])).toBe(true);
  expect(await lossesOf(lane)).toEqual([{ payment_id: payment, cause: 'reverted', amount: 77n }]);
});
