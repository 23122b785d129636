import type { ClaimedPayment, MinedBatch, MinedItem } from '@svc-pay/core';
import { describe, expect, test } from 'vitest';
import { loadBatchBlocks, loadRecordedBatch } from '../finality/mined-batches.ts';
import { reverseBatch } from '../finality/reverse-reorged-batch.ts';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { createLaneWorld, type LaneWorld } from '../testing/lane-world.ts';
import { loadClaimedPayments } from './claimed-payments.ts';
import { completeHeld, recordStranding } from './record-authorization-outcome.ts';

const world = async () => createLaneWorld((await createTestDatabase()).pool);

async function claimedOf({ pool, caller }: LaneWorld, paymentId: string): Promise<ClaimedPayment> {
  const claimed = (await loadClaimedPayments(pool, [{ ...caller, paymentId }])).get(paymentId);
  if (claimed === undefined) throw new Error(`no payment ${paymentId}`);
  return claimed;
}

describe('a stranded transfer', () => {
  const position = { transactionId: `0x${'0a'.repeat(32)}`, logIndex: 3 };
  const stateOf = async ({ pool }: LaneWorld) => {
    const transfers = await pool.query('select action, status from svc.stranded_transfers');
    const entries = await pool.query('select account_name, amount from svc.ledger_entries order by amount');
    const open = await pool.query('select from svc.authorizations where closed_at is null');
    return { transfers: transfers.rows, entries: entries.rows, open: open.rows.length };
  };

  test.each([
    ['held', 'settle'],
    ['failed', 'return'],
    ['canceled', 'return'],
  ])('of a %s payment is recorded once, to %s, with its entries', async (status, action) => {
    const lane = await world();
    const [paymentId = ''] = await lane.queue(1);
    await lane.pool.query('update svc.settlements set status = $1', [status]);
    const stranded = { ...(await claimedOf(lane, paymentId)), network: lane.lane.network, position };
    const twice = [1, 2].map(() => recordStranding(lane.pool, stranded, Date.now()));
    expect((await Promise.all(twice)).filter((one) => one !== undefined)).toEqual([action]);
    expect(await stateOf(lane)).toEqual({
      transfers: [{ action, status: 'queued' }],
      entries: [
        { account_name: 'payer', amount: '-1500000' },
        { account_name: 'stranded', amount: '1500000' },
      ],
      open: 0,
    });
  });

  test('of a payment that is in progress again is not recorded', async () => {
    const lane = await world();
    const [paymentId = ''] = await lane.queue(1);
    const stranded = { ...(await claimedOf(lane, paymentId)), network: lane.lane.network, position };
    expect(await recordStranding(lane.pool, stranded, Date.now())).toBeUndefined();
    expect(await stateOf(lane)).toEqual({ transfers: [], entries: [], open: 1 });
  });

  test('of an authorization without a payment is held for the merchant, without entries', async () => {
    const lane = await world();
    const [paymentId = ''] = await lane.queue(1);
    const claimed = await claimedOf(lane, paymentId);
    const stranded = { ...claimed, item: null, network: lane.lane.network, position };
    expect(await recordStranding(lane.pool, stranded, Date.now())).toBe('hold');
    expect(await stateOf(lane)).toEqual({ transfers: [{ action: 'hold', status: 'queued' }], entries: [], open: 0 });
  });
});

describe('a held payment whose batch is recorded', () => {
  /** The batch settled the payment; its row is then held and in no batch, as after a reorg that revived the batch. */
  const heldWorld = async () => {
    const lane = await world();
    const [paymentId = ''] = await lane.queue(2);
    lane.chain.spoil(paymentId, 'authorization_used', 'mined');
    await lane.settle();
    const [block] = await loadBatchBlocks(lane.pool, lane.lane.network, 0n, 10);
    const batch = await loadRecordedBatch(lane.pool, block?.id ?? '');
    if (block === undefined || batch === undefined) throw new Error('no batch');
    const [mined] = await lane.chain.findMined([batch]);
    const settled = mined?.items.find(({ outcome }) => outcome === 'settled');
    if (mined === undefined || settled === undefined) throw new Error('not mined');
    await lane.pool.query(
      "update svc.settlements set status = 'held', relayer = null, batch_id = null where payment_id = $1",
      [paymentId],
    );
    const told: MinedBatch = { ...mined, items: [{ ...settled, paymentId, logIndex: 90 } as MinedItem] };
    const payment = await claimedOf(lane, paymentId);
    const complete = (items = told.items) =>
      completeHeld(lane.pool, lane.lane.network, payment, { ...told, items }, undefined, Date.now());
    const settlement = async () => {
      const { rows } = await lane.pool.query(
        'select status, batch_id is not null as bound from svc.settlements where payment_id = $1',
        [paymentId],
      );
      return rows[0];
    };
    return { lane, block, paymentId, complete, settlement };
  };

  test('is completed once and bound to the batch', async () => {
    const { lane, complete, settlement } = await heldWorld();
    expect(await complete()).toBe('completed');
    expect(await settlement()).toEqual({ status: 'completed', bound: true });
    expect(await complete()).toBe('in_flight');
    expect(await lane.statuses()).toEqual({ completed: 2 });
  });

  test('stays unbound if the transaction did not settle it', async () => {
    const { paymentId, complete, settlement } = await heldWorld();
    expect(await complete([{ paymentId, outcome: 'no_evidence' }])).toBe('unrecorded');
    expect(await settlement()).toEqual({ status: 'held', bound: false });
  });

  test('waits if a reorg reverses the batch at the same time', async () => {
    const { lane, block, complete, settlement } = await heldWorld();
    const rival = await lane.pool.connect();
    try {
      await rival.query('begin');
      // The reversal waits for this lock, and the completion behind it.
      await rival.query('select from svc.batches where id = $1 for update', [block.id]);
      const reversed = reverseBatch(lane.pool, block.id, block.blockHash, Date.now());
      await waiting(lane, 1);
      const done = complete();
      await waiting(lane, 2);
      await rival.query('commit');
      expect(await reversed).toBe(true);
      expect(await done).toBe('in_flight');
    } finally {
      rival.release();
    }
    expect(await settlement()).toEqual({ status: 'held', bound: false });
    expect(await lane.statuses()).toEqual({ pending: 2 });
  });

  test('is completed while another process adds a row that refers to the batch', async () => {
    const { lane, block, complete } = await heldWorld();
    const rival = await lane.pool.connect();
    try {
      await rival.query('begin');
      // The lock that a foreign key takes.
      await rival.query('select from svc.batches where id = $1 for key share', [block.id]);
      const waits = waiting(lane, 1).then(() => 'waits for the lock');
      expect(await Promise.race([complete(), waits])).toBe('completed');
    } finally {
      await rival.query('rollback');
      rival.release();
    }
  });

  async function waiting({ pool }: LaneWorld, count: number): Promise<void> {
    for (let tries = 0; tries < 500; tries += 1) {
      const { rows } = await pool.query<{ count: number }>(
        `select count(*)::integer as count from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
      );
      if ((rows[0]?.count ?? 0) >= count) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error(`fewer than ${count} statements wait for a lock`);
  }
});
