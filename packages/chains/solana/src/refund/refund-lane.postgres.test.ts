// Refunds in a Solana lane with real Postgres and a real virtual machine, from the merchant's signature to the end.
import { setTimeout as sleep } from 'node:timers/promises';
import { laneRound } from '@svc-pay/core';
import { copyTestDatabase, createTestDatabase, type TestDatabase } from '@svc-pay/postgres/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { AMOUNT, createSolanaLaneWorld, type SolanaLaneWorld } from '../testing/lane-world.ts';
import { openRefundLane, type RefundLane } from '../testing/refund-lane.ts';
import { settleThroughCrashes } from '../testing/settle-through-crashes.ts';

const PART = 400_000n;
const FINAL = 40n;
const PAST_EXPIRY = 200n;
/** Two signatures and the priority fee of one transfer. */
const COST = 10_500n;

type World = SolanaLaneWorld & { readonly refunds: RefundLane; readonly database: TestDatabase };

async function world(): Promise<World> {
  const database = await createTestDatabase();
  const lane = await createSolanaLaneWorld(database.pool);
  onTestFinished(() => lane.chain.stop());
  return { ...lane, database, refunds: await openRefundLane(lane) };
}

/** Ends when the blockhash of before, which is remembered for half a slot, is forgotten: no real chain jumps so far in that time. */
async function expire({ chain }: SolanaLaneWorld): Promise<void> {
  chain.ledger.advance(PAST_EXPIRY);
  await sleep(250);
}

/** What the relayer paid for refunds, by cause and amount. */
async function gasOf({ pool }: SolanaLaneWorld): Promise<readonly string[]> {
  const { rows } = await pool.query<{ line: string }>(`select cause || ' ' || amount as line from svc.gas_losses`);
  return rows.map(({ line }) => line);
}

/** Every transaction in the books adds up to zero. */
async function imbalance({ pool }: SolanaLaneWorld): Promise<number> {
  const { rowCount } = await pool.query(
    'select from svc.ledger_entries group by transaction_id, asset having sum(amount) <> 0',
  );
  return rowCount ?? -1;
}

test('a refund is carried by the lane, decided by final blocks, and changes no payment before', async () => {
  const lane = await world();
  const { paymentId, payer } = await lane.refunds.pay();
  const had = await lane.balanceOf(lane.actors.merchant);
  const signed = await lane.refunds.prepare(paymentId, PART);
  await lane.refunds.submit(signed);
  await lane.settle();
  expect(await lane.refunds.statusOf(signed.id)).toBe('sent');
  expect(await lane.balanceOf(payer)).toBe(PART);
  await lane.refunds.watch();
  expect(await lane.refunds.statusOf(signed.id)).toBe('sent');
  expect(await lane.statusOf(paymentId)).toMatchObject({ payment: 'completed' });
  lane.chain.ledger.advance(FINAL);
  await lane.refunds.watch();
  expect(await lane.refunds.statusOf(signed.id)).toBe('completed');
  expect(await lane.refunds.leftOf(paymentId)).toBe((AMOUNT - PART).toString());
  expect(await lane.balanceOf(lane.actors.merchant)).toBe(had - PART);
  expect(await imbalance(lane)).toBe(0);
  // The same signature again is the same refund.
  await lane.refunds.submit(signed);
  await lane.settle();
  await lane.refunds.watch();
  expect(await gasOf(lane)).toEqual([`refund ${COST}`]);
  expect(await lane.balanceOf(payer)).toBe(PART);
});

test('what never landed frees its amount when its last height is final, and the merchant refunds anew', async () => {
  const lane = await world();
  const { paymentId, payer } = await lane.refunds.pay();
  const deaf = { ...lane.deps.chain, broadcast: async () => ({ outcome: 'unknown' as const }) };
  const signed = await lane.refunds.prepare(paymentId, PART);
  await lane.refunds.submit(signed);
  await laneRound({ ...lane.deps, chain: deaf }, await lane.takeLease());
  expect(await lane.refunds.statusOf(signed.id)).toBe('sent');
  lane.chain.ledger.advance(150n);
  await lane.refunds.watch();
  expect(await lane.refunds.statusOf(signed.id)).toBe('sent');
  expect(await lane.refunds.leftOf(paymentId)).toBe((AMOUNT - PART).toString());
  await expire(lane);
  await lane.refunds.watch();
  expect(await lane.refunds.statusOf(signed.id)).toBe('failed refund_expired');
  expect(await lane.refunds.leftOf(paymentId)).toBe(AMOUNT.toString());
  await lane.settle();
  const again = await lane.refunds.prepare(paymentId, PART);
  await lane.refunds.submit(again);
  await lane.settle();
  lane.chain.ledger.advance(FINAL);
  await lane.refunds.watch();
  expect(await lane.refunds.statusOf(again.id)).toBe('completed');
  expect(await lane.balanceOf(payer)).toBe(PART);
});

test('a refund that expired in the queue is given up by the lane without a new signature, and ends', async () => {
  const lane = await world();
  const { paymentId, payer } = await lane.refunds.pay();
  const signed = await lane.refunds.prepare(paymentId, PART);
  await lane.refunds.submit(signed);
  await expire(lane);
  await lane.settle();
  await lane.refunds.watch();
  expect(await lane.refunds.statusOf(signed.id)).toBe('failed refund_expired');
  await lane.settle();
  expect(await lane.balanceOf(payer)).toBe(0n);
});

test('a refund that fails on chain ends, and its cost is booked once however often the lane looks', async () => {
  const lane = await world();
  const { paymentId, payer } = await lane.refunds.pay();
  const signed = await lane.refunds.prepare(paymentId, PART);
  await lane.refunds.submit(signed);
  const { broadcast } = lane.deps.chain;
  const emptied = async (raw: Uint8Array) => {
    await lane.chain.fundToken(lane.actors.merchant, 1n);
    return broadcast(raw);
  };
  await lane.settle({ ...lane.deps, chain: { ...lane.deps.chain, broadcast: emptied } });
  // The wait after a refusal is over, and the lane tries again.
  await lane.pool.query('update svc.refunds set retry_at = null');
  await lane.settle();
  expect(await gasOf(lane)).toEqual([`insufficient_funds ${COST}`]);
  await expire(lane);
  await lane.refunds.watch();
  expect(await lane.refunds.statusOf(signed.id)).toBe('failed refund_expired');
  expect(await lane.refunds.leftOf(paymentId)).toBe(AMOUNT.toString());
  expect(await lane.balanceOf(payer)).toBe(0n);
  expect(await imbalance(lane)).toBe(0);
});

test('a database that was restored to before a refund does not let the merchant refund twice', async () => {
  const lane = await world();
  const { paymentId, payer } = await lane.refunds.pay();
  const backup = await copyTestDatabase(lane.database);
  // The first refund of the payment expires, and the second one moves money.
  await lane.refunds.submit(await lane.refunds.prepare(paymentId, PART));
  await expire(lane);
  await lane.refunds.watch();
  await lane.refunds.submit(await lane.refunds.prepare(paymentId, PART));
  await lane.settle();
  lane.chain.ledger.advance(FINAL);
  const restored = await openRefundLane({ ...lane, pool: backup.pool });
  await expect(restored.prepare(paymentId)).rejects.toThrow('refund_found_on_chain');
  expect(await restored.leftOf(paymentId)).toBe('0');
  await restored.watch();
  expect(await restored.leftOf(paymentId)).toBe((AMOUNT - PART).toString());
  await expect(restored.prepare(paymentId, AMOUNT)).rejects.toThrow('refund_exceeds_paid');
  await restored.submit(await restored.prepare(paymentId, PART));
  expect(await lane.balanceOf(payer)).toBe(PART);
  expect(await restored.leftOf(paymentId)).toBe((AMOUNT - 2n * PART).toString());
});

test.each<[string, string]>([
  ['recipient', `recipient = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG'`],
  ['amount', 'amount = amount + 1, reserved = reserved + 1'],
  ['nonce', `nonce = sha256('another')`],
])('whoever can write rows and changes the %s of a refund moves no money', async (_, change) => {
  const lane = await world();
  const { paymentId, payer } = await lane.refunds.pay();
  const signed = await lane.refunds.prepare(paymentId, PART);
  await lane.refunds.submit(signed);
  await lane.pool.query(`update svc.refunds set ${change} where id = $1`, [signed.id]);
  await lane.settle();
  expect(await lane.balanceOf(payer)).toBe(0n);
  expect(await lane.refunds.statusOf(signed.id)).toBe('queued');
});

describe('the process dies at any call', () => {
  test.each([1, 2, 3])('and every refund moves its money once, seed %s', async (seed) => {
    const lane = await world();
    const paid = [await lane.refunds.pay(), await lane.refunds.pay(), await lane.refunds.pay()];
    const had = await lane.balanceOf(lane.actors.merchant);
    const ids: string[] = [];
    for (const { paymentId } of paid) {
      const signed = await lane.refunds.prepare(paymentId, PART);
      await lane.refunds.submit(signed);
      ids.push(signed.id);
    }
    const crashes = { deps: lane.deps, share: 0.15, seed };
    const { resting, lives } = await settleThroughCrashes(lane, crashes);
    expect({ resting, lives }).toEqual({ resting: true, lives: expect.toSatisfy((many: number) => many > 2) });
    lane.chain.ledger.advance(FINAL);
    await lane.refunds.watch();
    expect(await Promise.all(ids.map(lane.refunds.statusOf))).toEqual(['completed', 'completed', 'completed']);
    for (const { payer } of paid) expect(await lane.balanceOf(payer)).toBe(PART);
    expect(await lane.balanceOf(lane.actors.merchant)).toBe(had - 3n * PART);
    expect(await imbalance(lane)).toBe(0);
  });
});
