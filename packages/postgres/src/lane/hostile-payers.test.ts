// Lanes with payers who try to burn the relayer's gas or to delay other payers.
import { laneRound, outcomesOf } from '@svc-pay/core';
import { describe, expect, test } from 'vitest';
import { loadAgeingBatches, recordFinal } from '../finality/finalize-batches.ts';
import { reverseBatch } from '../finality/reverse-reorged-batch.ts';
import { loadHeldPayments } from '../stranded/claimed-payments.ts';
import { loadSignedTransactions } from '../stranded/load-transactions.ts';
import { queueHeld } from '../stranded/record-authorization-outcome.ts';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { laneDifferences } from '../testing/lane-differences.ts';
import { createLaneWorld, type LaneWorld } from '../testing/lane-world.ts';
import { queuePayment } from '../testing/queue-payment.ts';
import { seedMerchant } from '../testing/seed-merchant.ts';
import { loadLaneFacts } from './network-health.ts';

const world = async () => createLaneWorld((await createTestDatabase()).pool);
const wallet = (index: number) => `0x${index.toString(16).padStart(40, 'c')}`;
const rowsOf = async <Row>({ pool }: LaneWorld, text: string, values: readonly unknown[] = []) =>
  (await pool.query(text, [...values])).rows as readonly Row[];
const settlementsOf = async (lane: LaneWorld) =>
  Object.fromEntries(
    (
      await rowsOf<{ status: string; count: number }>(
        lane,
        'select status, count(*)::integer as count from svc.settlements group by status',
      )
    ).map(({ status, count }) => [status, count]),
  );

async function finalize(lane: LaneWorld): Promise<void> {
  lane.chain.finalize();
  for (const batch of await loadAgeingBatches(lane.pool, lane.lane.network, 10_000n, 1_000)) {
    const pendingBatch = { id: batch.id, nonce: 0n, status: 'broadcast', sentAtMs: 0, items: batch.openItems } as const;
    const transactions = [{ transactionId: batch.transactionId, raw: new Uint8Array() }];
    const [mined] = await lane.chain.findMined([{ ...pendingBatch, transactions }]);
    if (mined !== undefined) await recordFinal(lane.pool, batch, outcomesOf(batch, mined), Date.now());
  }
}

describe('a batch that reverts as a whole', () => {
  test('is queued again at once, before its block is final', async () => {
    const lane = await world();
    const payments = await lane.queue(20);
    lane.chain.revertAbove(10);
    await lane.settle();
    expect(await lane.statuses()).toEqual({ completed: 20 });
    expect(await laneDifferences(lane, payments)).toEqual([]);
    await finalize(lane);
    expect(await rowsOf(lane, 'select distinct status from svc.batches')).toEqual([{ status: 'finalized' }]);
  });

  test('and is revived by a reorganisation moves no money twice: the second transaction finds each payment settled', async () => {
    const lane = await world();
    const payments = await lane.queue(20);
    lane.chain.revertAbove(10);
    const lease = await lane.takeLease();
    await laneRound(lane.deps, lease);
    lane.chain.mine();
    await laneRound(lane.deps, lease);
    expect(await settlementsOf(lane)).not.toHaveProperty('mined');
    const [first] = await rowsOf<{ id: string; block_hash: string; transaction_id: string }>(
      lane,
      "select id, block_hash, transaction_id from svc.batches where status = 'mined'",
    );
    // A reorg removes the block, and in the next one the same transaction succeeds.
    lane.chain.reorganise(1);
    lane.chain.revertAbove(25);
    expect(await reverseBatch(lane.pool, first?.id ?? '', first?.block_hash ?? '', Date.now())).toBe(true);
    const hasty = { ...lane.deps, pace: { ...lane.deps.pace, resendMs: 0 } };
    await lane.settle(hasty);
    expect([...lane.chain.settled.values()]).toEqual(Array(20).fill(1));
    // The payments that the revived transaction settled are held until the chain's logs name that transaction.
    await finalize(lane);
    expect(await settlementsOf(lane)).toEqual({ held: 20 });
    expect(
      await rowsOf(
        lane,
        'select distinct batch.transaction_id from svc.reverted_batches reverted join svc.batches batch on batch.id = reverted.batch_id',
      ),
    ).toEqual([{ transaction_id: first?.transaction_id }]);
    const held20 = await loadHeldPayments(lane.pool, lane.lane.network, 0n, 100);
    const signed = await loadSignedTransactions(lane.pool, held20);
    expect(payments.map((payment) => signed.get(payment)?.includes(first?.transaction_id ?? ''))).toEqual(
      Array(20).fill(true),
    );
    expect(signed.get(payments[0] ?? '')?.length).toBeGreaterThan(1);
  });
});

test('a payment whose reverted batch may still be revived is held, not failed, until that batch is final', async () => {
  const lane = await world();
  const payments = await lane.queue(20);
  lane.chain.revertAbove(10);
  const lease = await lane.takeLease();
  await laneRound(lane.deps, lease);
  lane.chain.mine();
  const full = { ...lane.deps, pace: { ...lane.deps.pace, maxInFlight: 0 } };
  await laneRound(full, lease);
  for (const payment of payments) lane.chain.spoil(payment, 'insufficient_funds', 'simulated');
  await laneRound(lane.deps, lease);
  expect(await settlementsOf(lane)).toEqual({ held: 10, queued: 10 });
  expect(await lane.statuses()).toEqual({ pending: 20 });
  await finalize(lane);
  await queueHeld(lane.pool, await loadHeldPayments(lane.pool, lane.lane.network, 0n, 100), Date.now());
  await lane.settle();
  expect(await lane.statuses()).toEqual({ failed: 20 });
});

describe('a payment that goes alone and reverts', () => {
  test('fails once that is final, and is never sent again', async () => {
    const lane = await world();
    const { paymentId } = await queuePayment(lane.pool, lane.caller, { byContract: true });
    lane.chain.revertAlone(paymentId, 'reverted_alone');
    for (let round = 0; round < 3; round += 1) {
      await lane.settle();
      await finalize(lane);
    }
    expect(lane.chain.minedTransactions()).toBe(1);
    expect(await rowsOf(lane, 'select status, failure_code from svc.payments')).toEqual([
      { status: 'failed', failure_code: 'token_refused' },
    ]);
  });

  test('because of a cap, a pause or a role waits and goes again', async () => {
    const lane = await world();
    const [paymentId = ''] = await lane.queue(1);
    lane.chain.revertAlone(paymentId, 'refused_for_now');
    const lease = await lane.takeLease();
    await laneRound(lane.deps, lease);
    lane.chain.mine();
    await laneRound(lane.deps, lease);
    expect(await rowsOf(lane, 'select status, retry_at > now() as waits from svc.settlements')).toEqual([
      { status: 'queued', waits: true },
    ]);
    expect(await lane.statuses()).toEqual({ pending: 1 });
  });
});

describe('payments of contract wallets', () => {
  test('wait in a queue of their own: payments by key queued behind 500 of them go in the next transaction', async () => {
    const lane = await world();
    for (let index = 0; index < 500; index += 1)
      await queuePayment(lane.pool, lane.caller, { byContract: true, payer: wallet(index % 50) });
    const honest = await lane.queue(20);
    const lease = await lane.takeLease();
    for (let round = 0; round < 4; round += 1) await laneRound(lane.deps, lease);
    lane.chain.mine();
    await laneRound(lane.deps, lease);
    expect(honest.map((payment) => lane.chain.settled.get(payment))).toEqual(Array(20).fill(1));
    // Solo payments get one of four transactions in flight.
    expect(lane.chain.settled.size - honest.length).toBe(1);
  }, 60_000);

  test('do not withdraw the network by waiting long', async () => {
    const lane = await world();
    await queuePayment(lane.pool, lane.caller, { byContract: true, nowMs: Date.now() - 600_000 });
    expect((await loadLaneFacts(lane.pool, lane.lane.network, Date.now())).oldestQueuedMs).toBeNull();
    await queuePayment(lane.pool, lane.caller, { nowMs: Date.now() - 600_000 });
    expect((await loadLaneFacts(lane.pool, lane.lane.network, Date.now())).oldestQueuedMs).toBeGreaterThan(500_000);
  });

  test('take turns by account, then by payer: a payer with one payment does not wait behind another’s hundred', async () => {
    const lane = await world();
    const other = await seedMerchant(lane.pool, { tokens: ['basesepolia_usdc'] });
    for (let index = 0; index < 100; index += 1)
      await queuePayment(lane.pool, lane.caller, { byContract: true, payer: wallet(index % 2) });
    const late = await queuePayment(lane.pool, lane.caller, { byContract: true, payer: wallet(7) });
    const elsewhere = await queuePayment(lane.pool, other, { byContract: true, payer: wallet(0) });
    const lease = await lane.takeLease();
    const sent: string[] = [];
    for (let round = 0; round < 8; round += 1) {
      const before = new Set(lane.chain.settled.keys());
      await laneRound(lane.deps, lease);
      lane.chain.mine();
      await laneRound(lane.deps, lease);
      sent.push(...[...lane.chain.settled.keys()].filter((payment) => !before.has(payment)));
    }
    expect(sent).toContain(late.paymentId);
    expect(sent).toContain(elsewhere.paymentId);
  });
});

test('two accounts with one payer each go in turn, however many payments either has', async () => {
  const lane = await world();
  const other = await seedMerchant(lane.pool, { tokens: ['basesepolia_usdc'] });
  const [low, high] = [lane.caller, other].toSorted((one, two) => (one.accountId < two.accountId ? -1 : 1));
  for (let index = 0; index < 20; index += 1)
    await queuePayment(lane.pool, low!, { byContract: true, payer: wallet(1) });
  const late = await queuePayment(lane.pool, high!, { byContract: true, payer: wallet(2) });
  const lease = await lane.takeLease();
  for (let sent = 0; sent < 2; sent += 1) {
    await laneRound(lane.deps, lease);
    lane.chain.mine();
    await laneRound({ ...lane.deps, pace: { ...lane.deps.pace, maxInFlight: 0 } }, lease);
    // Neither wallet gets a turn for having paid.
    await lane.pool.query('delete from svc.proven_wallets');
  }
  expect(lane.chain.settled.size).toBe(2);
  expect(lane.chain.settled.has(late.paymentId)).toBe(true);
});

test('a wallet has one transaction under way at a time', async () => {
  const lane = await world();
  for (let index = 0; index < 5; index += 1)
    await queuePayment(lane.pool, lane.caller, { byContract: true, payer: wallet(1) });
  await queuePayment(lane.pool, lane.caller, { byContract: true, payer: wallet(2) });
  const wide = { ...lane.deps, pace: { ...lane.deps.pace, maxInFlight: 16 } };
  const lease = await lane.takeLease();
  for (let round = 0; round < 6; round += 1) await laneRound(wide, lease);
  const pendingBatches = await lane.store.loadPendingBatches(lane.lane);
  expect(pendingBatches.map(({ items }) => items.map(({ payer }) => payer))).toEqual([[wallet(1)], [wallet(2)]]);
});

describe('wallets that paid before', () => {
  const prove = (lane: LaneWorld, payers: readonly string[]) =>
    lane.pool.query('insert into svc.proven_wallets (network, payer, paid_at) select $1, unnest($2::text[]), now()', [
      lane.lane.network,
      payers,
    ]);
  const wideOf = (lane: LaneWorld) => ({ ...lane.deps, pace: { ...lane.deps.pace, maxInFlight: 16 } });

  test('go several in one round, whatever number of other wallets waits', async () => {
    const lane = await world();
    const [paid, never] = [
      [90, 91, 92, 93, 94, 95].map(wallet),
      Array.from({ length: 60 }, (_, index) => wallet(index)),
    ];
    await prove(lane, paid);
    for (const payer of [...never, ...paid]) await queuePayment(lane.pool, lane.caller, { byContract: true, payer });
    const lease = await lane.takeLease();
    // The nonce decides which wallets go first.
    for (let round = 0; round < 2; round += 1) await laneRound(wideOf(lane), lease);
    const pendingBatches = await lane.store.loadPendingBatches(lane.lane);
    expect(pendingBatches.map(({ items }) => items.map(({ payer }) => payer))).toEqual(
      expect.arrayContaining(paid.map((payer) => [payer])),
    );
    await lane.settle();
    expect(await lane.statuses()).toEqual({ completed: 66 });
  }, 60_000);

  test('take at most half of the transactions in flight, and one of each wallet', async () => {
    const lane = await world();
    const paid = Array.from({ length: 12 }, (_, index) => wallet(index));
    await prove(lane, paid);
    for (const payer of [...paid, ...paid]) await queuePayment(lane.pool, lane.caller, { byContract: true, payer });
    const lease = await lane.takeLease();
    for (let round = 0; round < 4; round += 1) await laneRound(wideOf(lane), lease);
    const pending = (await lane.store.loadPendingBatches(lane.lane)).flatMap(({ items }) => items);
    expect(pending.map(({ payer }) => payer)).toEqual([...new Set(pending.map(({ payer }) => payer))]);
    expect(pending).toHaveLength(8);
  });

  test('do not keep other wallets waiting for long', async () => {
    const lane = await world();
    const paid = Array.from({ length: 12 }, (_, index) => wallet(index));
    await prove(lane, paid);
    for (let index = 0; index < 10; index += 1)
      for (const payer of paid) await queuePayment(lane.pool, lane.caller, { byContract: true, payer });
    const other = await queuePayment(lane.pool, lane.caller, { byContract: true, payer: wallet(99) });
    const lease = await lane.takeLease();
    for (let round = 0; round < 12; round += 1) {
      await laneRound(wideOf(lane), lease);
      lane.chain.mine();
    }
    expect(lane.chain.settled.has(other.paymentId)).toBe(true);
    expect(lane.chain.settled.size).toBeLessThan(100);
  }, 60_000);
});

test('payers of the solo queue who have to wait cost the chain no question', async () => {
  const lane = await world();
  await queuePayment(lane.pool, lane.caller, { byContract: true, payer: wallet(1) });
  await lane.pool.query(
    `insert into svc.solo_payers (network, payer, strikes, next_at, until)
     select network, solo_payer, 1, now() + interval '1 hour', now() + interval '1 day' from svc.settlements`,
  );
  let asked = 0;
  const chain = { ...lane.chain, nonceRange: () => ((asked += 1), lane.chain.nonceRange()) };
  const lease = await lane.takeLease();
  const ends = new Set<string>();
  for (let round = 0; round < 5; round += 1) ends.add(await laneRound({ ...lane.deps, chain }, lease));
  expect(ends).toEqual(new Set(['waiting']));
  expect(asked).toBe(0);
});

test('forty payers who have to wait do not starve the one behind them in the same account', async () => {
  const lane = await world();
  for (let index = 0; index < 40; index += 1)
    await queuePayment(lane.pool, lane.caller, {
      byContract: true,
      payer: `0x0${index.toString(16).padStart(39, '0')}`,
    });
  await lane.pool.query(
    `insert into svc.solo_payers (network, payer, strikes, next_at, until)
     select network, solo_payer, 1, now() + interval '1 hour', now() + interval '1 day' from svc.settlements`,
  );
  const honest = await queuePayment(lane.pool, lane.caller, { byContract: true, payer: `0x${'ff'.repeat(20)}` });
  const lease = await lane.takeLease();
  for (let round = 0; round < 4; round += 1) {
    await laneRound(lane.deps, lease);
    lane.chain.mine();
  }
  expect([...lane.chain.settled.keys()]).toEqual([honest.paymentId]);
});

describe('a payer whose transfer used up its gas', () => {
  const burn = async (lane: LaneWorld, payer: string) => {
    const { paymentId } = await queuePayment(lane.pool, lane.caller, { payer });
    lane.chain.spoil(paymentId, 'pull_refused', 'mined');
    const lease = await lane.takeLease();
    await laneRound(lane.deps, lease);
    lane.chain.mine();
    await laneRound(lane.deps, lease);
  };
  const waitOver = async (lane: LaneWorld) => {
    await lane.pool.query('update svc.solo_payers set next_at = now()');
    // A solo queue without a payment to send is not read again for a second.
    await new Promise((resolve) => setTimeout(resolve, 1_050));
  };

  test('goes alone for a day, what waits of it too, and its next transaction waits longer after each strike', async () => {
    const lane = await world();
    const payer = wallet(1);
    await burn(lane, payer);
    const strikes = async () =>
      (
        await rowsOf<{ strikes: number; minutes: number; hours: number }>(
          lane,
          `select strikes, round(extract(epoch from next_at - now()) / 60)::integer as minutes,
             round(extract(epoch from until - now()) / 3600)::integer as hours from svc.solo_payers`,
        )
      )[0];
    expect(await strikes()).toEqual({ strikes: 1, minutes: 2, hours: 24 });
    const mine = await queuePayment(lane.pool, lane.caller, { payer });
    const others = await lane.queue(3);
    await lane.pool.query('update svc.relayers set awake = true');
    const lease = await lane.takeLease();
    for (let round = 0; round < 4; round += 1) {
      await laneRound(lane.deps, lease);
      lane.chain.mine();
    }
    expect(others.map((payment) => lane.chain.settled.get(payment))).toEqual([1, 1, 1]);
    expect(lane.chain.settled.has(mine.paymentId)).toBe(false);
    await waitOver(lane);
    await lane.settle();
    expect(lane.chain.settled.get(mine.paymentId)).toBe(1);
    const alone = await rowsOf<{ item_count: number }>(
      lane,
      'select item_count from svc.batches b join svc.settlements s on s.batch_id = b.id where s.payment_id = $1',
      [mine.paymentId],
    );
    expect(alone).toEqual([{ item_count: 1 }]);
    const again = await queuePayment(lane.pool, lane.caller, { payer });
    lane.chain.spoil(again.paymentId, 'pull_refused', 'mined');
    await waitOver(lane);
    await lane.settle();
    expect(await strikes()).toMatchObject({ strikes: 2, minutes: 4 });
  });

  test('what waits of it already moves out of the common queue', async () => {
    const lane = await world();
    const payer = wallet(1);
    const { paymentId } = await queuePayment(lane.pool, lane.caller, { payer });
    lane.chain.spoil(paymentId, 'pull_refused', 'mined');
    const lease = await lane.takeLease();
    await laneRound(lane.deps, lease);
    const waiting = await queuePayment(lane.pool, lane.caller, { payer });
    lane.chain.mine();
    const full = { ...lane.deps, pace: { ...lane.deps.pace, maxInFlight: 0 } };
    await laneRound(full, lease);
    expect(await rowsOf(lane, "select payment_id, solo_payer from svc.settlements where status = 'queued'")).toEqual([
      { payment_id: waiting.paymentId, solo_payer: payer },
    ]);
  });

  test('is not whose authorization a stranger used first, nor who has no funds', async () => {
    const lane = await world();
    const [one = '', two = ''] = await lane.queue(2);
    lane.chain.spoil(one, 'authorization_used', 'mined');
    lane.chain.spoil(two, 'insufficient_funds', 'mined');
    await lane.settle();
    expect(await rowsOf(lane, 'select * from svc.solo_payers')).toEqual([]);
  });
});

describe('amounts above the hourly cap', () => {
  /** Every payment here is of 1,500,000. */
  const AMOUNT = 1_500_000n;
  const setAmount = (lane: LaneWorld, payments: readonly string[], amount: bigint) =>
    lane.pool.query('update svc.settlements set cap = $2, settled_amount = $2 where payment_id = any ($1)', [
      payments,
      amount.toString(),
    ]);

  test('120 of them in front hold up nobody: what fits is found by arithmetic, with two simulations', async () => {
    const lane = await world();
    const large = await lane.queue(120);
    await setAmount(lane, large, 1_000n * AMOUNT);
    const honest = await lane.queue(5);
    lane.chain.setCap(100n * AMOUNT);
    lane.chain.setMaxItems(200);
    const lease = await lane.takeLease();
    expect(await laneRound(lane.deps, lease)).toBe('moved');
    expect(lane.chain.simulations()).toBe(2);
    lane.chain.mine();
    expect(honest.map((payment) => lane.chain.settled.get(payment))).toEqual(Array(5).fill(1));
    expect(lane.chain.settled.size).toBe(5);
  }, 30_000);

  test('a thousand of them in front: an honest payment behind them goes within rounds that never pause', async () => {
    const lane = await world();
    const large = await lane.queue(1_000);
    await setAmount(lane, large, 1_000n * AMOUNT);
    const [honest = ''] = await lane.queue(1);
    lane.chain.setCap(100n * AMOUNT);
    lane.chain.setMaxItems(200);
    const patient = { ...lane.deps, pace: { ...lane.deps.pace, deferMs: 5_000 } };
    const lease = await lane.takeLease();
    const ends: string[] = [];
    for (let round = 0; round < 6; round += 1) ends.push(await laneRound(patient, lease));
    lane.chain.mine();
    expect(lane.chain.settled.get(honest)).toBe(1);
    expect(ends).toEqual(Array(6).fill('moved'));
    const { rows } = await lane.pool.query(
      "select min(extract(epoch from retry_at - now()))::integer as seconds from svc.settlements where status = 'queued'",
    );
    expect(rows[0].seconds).toBeGreaterThan(30);
  }, 60_000);

  test('what is mined and waits for confirmations counts once', async () => {
    const lane = await world();
    lane.chain.setCap(30n * AMOUNT);
    await lane.queue(20);
    await lane.pool.query('update svc.intents set confirmations = 5');
    const lease = await lane.takeLease();
    await laneRound(lane.deps, lease);
    lane.chain.mine();
    await lane.queue(10);
    await laneRound(lane.deps, lease);
    expect(await rowsOf(lane, 'select item_count from svc.batches order by nonce')).toEqual([
      { item_count: 20 },
      { item_count: 10 },
    ]);
  });

  test('what flies counts: two batches that fit each alone are not sent together', async () => {
    const lane = await world();
    lane.chain.setCap(30n * AMOUNT);
    await lane.queue(25);
    const lease = await lane.takeLease();
    await laneRound(lane.deps, lease);
    await lane.queue(25);
    await laneRound(lane.deps, lease);
    await laneRound(lane.deps, lease);
    expect(await rowsOf(lane, 'select item_count from svc.batches order by nonce')).toEqual([
      { item_count: 25 },
      { item_count: 5 },
    ]);
    lane.chain.mine();
    expect(lane.chain.settled.size).toBe(30);
  });
});

test('a full page of payments through a withdrawn payout does not pause the lane', async () => {
  const lane = await world();
  await lane.queue(200);
  await lane.pool.query("update svc.payouts set status = 'pending'");
  const other = await seedMerchant(lane.pool, { tokens: ['basesepolia_usdc'] });
  const { paymentId } = await queuePayment(lane.pool, other);
  const lease = await lane.takeLease();
  expect(await laneRound(lane.deps, lease)).toBe('moved');
  await laneRound(lane.deps, lease);
  lane.chain.mine();
  expect([...lane.chain.settled.keys()]).toEqual([paymentId]);
});

test('payments through a payout that the registry contradicts wait, and hold up nobody', async () => {
  const lane = await world();
  const waiting = await lane.queue(3);
  await lane.pool.query("update svc.payouts set status = 'pending'");
  const other = await seedMerchant(lane.pool, { tokens: ['basesepolia_usdc'] });
  const { paymentId } = await queuePayment(lane.pool, other);
  const lease = await lane.takeLease();
  for (let round = 0; round < 3; round += 1) {
    await laneRound(lane.deps, lease);
    lane.chain.mine();
  }
  expect([...lane.chain.settled.keys()]).toEqual([paymentId]);
  await lane.pool.query("update svc.payouts set status = 'active'");
  await lane.pool.query('update svc.settlements set retry_at = null');
  await lane.settle();
  expect(waiting.map((payment) => lane.chain.settled.get(payment))).toEqual([1, 1, 1]);
});

describe('a transaction that is refused as a whole', () => {
  test('is bisected, and the half that passes is sent in the same round', async () => {
    const lane = await world();
    const [bad = '', ...others] = await lane.queue(24);
    lane.chain.refuseWhole((items) => (items.some(({ paymentId }) => paymentId === bad) ? 'refused' : undefined));
    const lease = await lane.takeLease();
    expect(await laneRound(lane.deps, lease)).toBe('moved');
    // Simulations of the whole batch, its first half and its second half.
    expect(lane.chain.simulations()).toBe(3);
    lane.chain.mine();
    expect(lane.chain.settled.size).toBe(12);
    expect(others.filter((payment) => lane.chain.settled.has(payment))).toHaveLength(12);
  });
});

describe('fees', () => {
  test('are not raised behind a nonce gap', async () => {
    const lane = await world();
    await lane.queue(3);
    const hasty = { ...lane.deps, pace: { ...lane.deps.pace, resendMs: 0, bumpMs: 0 } };
    const lease = await lane.takeLease();
    await laneRound(hasty, lease);
    lane.chain.setNonce(1n);
    for (let round = 0; round < 5; round += 1) await laneRound(hasty, lease);
    expect(await rowsOf(lane, 'select count(*)::integer from svc.batch_transactions')).toEqual([{ count: 1 }]);
  });
});
