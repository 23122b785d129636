import { describe, expect, test } from 'vitest';
import type { SoloBudget } from '../budget/judge-wallet.ts';
import {
  common,
  EXPIRING,
  idsOf,
  item,
  LEASE,
  NOW_MS,
  PACE,
  pending,
  refund,
  roundOn,
  SEQUENCED,
  transaction,
} from '../testing/round-on.ts';
import { laneRound } from './drain-lane.ts';
import type { LaneItem, PendingBatch } from './lane.ts';
import { ChainUnavailable, type MinedBatch } from './lane-chain.ts';
import type { LaneDeps } from './lane-deps.ts';

describe.each([
  ['sequenced', SEQUENCED],
  ['expiring', EXPIRING],
])('every lane, here a %s one', (_, family) => {
  test('does nothing after a take-over', async () => {
    const deps = { store: { heartbeat: async () => undefined }, chain: family } as unknown as LaneDeps;
    expect(await laneRound(deps, LEASE)).toBe('taken_over');
  });

  test('with nothing to do is empty', async () => {
    expect(await roundOn(family, {})).toEqual({ end: 'empty', done: [] });
  });

  test('stores a transaction before it broadcasts it', async () => {
    const { end, done } = await roundOn(family, { queue: [item('one')] });
    expect({ end, done }).toEqual({ end: 'moved', done: ['store 7:one', 'broadcast tx of one'] });
  });

  test('sends a refund by itself when no payment waits, and payments first otherwise', async () => {
    const [one, two] = [refund('back one'), refund('back two')];
    expect(await roundOn(family, { refunds: [one, two], pace: { maxInFlight: 8 } })).toEqual({
      end: 'moved',
      done: ['store 7:back one', 'broadcast tx of back one'],
    });
    const both = await roundOn(family, { queue: [item('pays')], refunds: [one] });
    expect(both.done).toEqual(['store 7:pays', 'broadcast tx of pays']);
  });

  test('sends no refund of an account whose refunds cost too much gas: it waits', async () => {
    const spent = { hourAtomic: 5n, dayAtomic: 5n };
    const budget = { limits: { refunds: spent }, lost: { refunds: spent } } as Partial<SoloBudget>;
    expect((await roundOn(family, { refunds: [refund('back')], budget })).done).toEqual([
      'unsent back gas_budget_spent',
    ]);
  });

  test('sends a refund at its turn, however many payments wait', async () => {
    const state = { nextNonce: 8n };
    const chain = { nonceRange: async () => ({ lowest: 8n, highest: 8n }) };
    const { done } = await roundOn(family, { state, queue: [item('pays')], refunds: [refund('back')] }, chain);
    expect(done).toEqual(['store 8:back', 'broadcast tx of back']);
  });

  test('has one refund in flight while its share is one slot, and sends payments beside it', async () => {
    const sent = pending(6n, { items: [{ ...refund('sent'), confirmations: 1 }], sentAtMs: NOW_MS });
    const world = { pendingBatches: [sent], refunds: [refund('back')], pace: { maxInFlight: 2 } };
    expect(await roundOn(family, world)).toEqual({ end: 'waiting', done: [] });
    const { done } = await roundOn(family, { ...world, queue: [item('pays')] });
    expect(done).toEqual(['store 7:pays', 'broadcast tx of pays']);
  });

  test('has refunds in half of its slots while no payment waits, and in an eighth at their turn otherwise', async () => {
    const sent = (count: number) =>
      Array.from({ length: count }, (_, index) =>
        pending(BigInt(8 - count + index), { items: [{ ...refund('sent'), confirmations: 1 }], sentAtMs: NOW_MS }),
      );
    const world = { refunds: [refund('back')], pace: { maxInFlight: 16 }, state: { nextNonce: 8n } };
    const doneBeside = async (count: number, queue: LaneItem[] = []) => {
      const { done } = await roundOn(family, { ...world, pendingBatches: sent(count), queue, oldestAtMs: NOW_MS });
      return done.filter((line) => line.startsWith('store'));
    };
    expect(await doneBeside(7)).toEqual(['store 8:back']);
    expect(await doneBeside(8)).toEqual([]);
    expect(await doneBeside(1, [item('pays')])).toEqual(['store 8:back']);
    expect((await doneBeside(2, [item('pays')])).filter((line) => line.includes('back'))).toEqual([]);
  });

  test('records why a refund is refused, and sends nothing', async () => {
    const refuse = async () => ({ ok: true as const, outcomes: ['insufficient_funds' as const], chainTimeSeconds: 0n });
    const { done } = await roundOn(family, { refunds: [refund('back')] }, { simulate: refuse });
    expect(done).toEqual(['unsent back insufficient_funds']);
  });

  test('sends payments at the turn of a refund that makes our code throw, and puts the refund off', async () => {
    const chain = {
      nonceRange: async () => ({ lowest: 8n, highest: 8n }),
      simulate: async (items: readonly LaneItem[]) => {
        if (items.some((one) => one.refund !== undefined)) throw new TypeError('no such address');
        return common.simulate(items);
      },
    };
    const world = { state: { nextNonce: 8n }, queue: [item('pays')], refunds: [refund('back')] };
    const { end, done } = await roundOn(family, world, chain);
    expect({ end, done }).toEqual({ end: 'moved', done: ['defer back', 'store 8:pays', 'broadcast tx of pays'] });
  });

  test('puts a refund off whose row is malformed, without asking the chain about it', async () => {
    const forged = { ...refund('forged'), payout: { id: 0n, withdrawn: true } } as LaneItem;
    const asked: string[] = [];
    const simulate = async (items: readonly LaneItem[]) => {
      asked.push(idsOf(items));
      return common.simulate(items);
    };
    const { done } = await roundOn(
      family,
      { queue: [item('pays')], refunds: [forged], state: { nextNonce: 8n } },
      {
        nonceRange: async () => ({ lowest: 8n, highest: 8n }),
        simulate,
      },
    );
    expect({ done, asked }).toEqual({
      done: ['defer forged', 'store 8:pays', 'broadcast tx of pays'],
      asked: ['pays'],
    });
  });

  test('concludes nothing while the chain is out of reach', async () => {
    const silent = () => Promise.reject(new ChainUnavailable('silent'));
    const world = { pendingBatches: [pending(6n)], queue: [item('one')] };
    expect(await roundOn(family, world, { findMined: silent })).toEqual({ end: 'blocked', done: [] });
  });

  test('sends no more than its limit in flight', async () => {
    const fresh = { sentAtMs: NOW_MS };
    const pendingBatches = [pending(5n, fresh), pending(6n, fresh)];
    const world = { pendingBatches, queue: [item('one')], pace: { maxInFlight: 2 } };
    expect(await roundOn(family, world)).toEqual({ end: 'waiting', done: [] });
  });

  test('records a mined batch when it is confirmed, and broadcasts it no more', async () => {
    const mined = (confirmations: bigint) => ({
      findMined: async () => [{ batchId: 'batch 6', confirmations, items: [] as unknown } as MinedBatch],
    });
    const world = { pendingBatches: [pending(6n)] };
    expect(await roundOn(family, world, mined(1n))).toEqual({ end: 'waiting', done: [] });
    expect(await roundOn(family, world, mined(2n))).toEqual({ end: 'moved', done: ['record batch 6'] });
  });
});

describe('a sequenced lane', () => {
  test('sends the queue as one batch', async () => {
    const { done } = await roundOn(SEQUENCED, { queue: [item('one'), item('two')] });
    expect(done).toEqual(['store 7:one,two', 'broadcast tx of one,two']);
  });

  test('does not send a payment whose direct payout is not soundly activated, and sends the others', async () => {
    const half = {
      simulate: async (items: readonly LaneItem[]) => ({
        ok: true as const,
        outcomes: items.map(({ paymentId }) => (paymentId.startsWith('bad') ? 'withdrawn' : 'settled') as 'settled'),
        chainTimeSeconds: 0n,
      }),
    };
    const { done } = await roundOn(SEQUENCED, { queue: [item('bad'), item('good')] }, half);
    expect(done).toEqual(['store 7:good', 'broadcast tx of good', 'defer bad']);
    expect((await roundOn(SEQUENCED, { queue: [item('bad')] }, half)).done).toEqual(['defer bad']);
  });

  test('sends nothing when it is closed, or when other lanes have the whole queue', async () => {
    const queue = [item('one')];
    expect(await roundOn(SEQUENCED, { queue, state: { open: false } })).toEqual({ end: 'empty', done: [] });
    expect(await roundOn(SEQUENCED, { queue, state: { share: undefined } })).toEqual({ end: 'empty', done: [] });
  });

  test('lets a partial batch gather behind a pending one', async () => {
    const world = { pendingBatches: [pending(6n, { sentAtMs: NOW_MS })], queue: [item('one')] };
    expect(await roundOn(SEQUENCED, { ...world, oldestAtMs: NOW_MS - 99 })).toEqual({ end: 'waiting', done: [] });
    expect(await roundOn(SEQUENCED, { ...world, oldestAtMs: NOW_MS - 100 })).toMatchObject({ end: 'moved' });
  });

  test('sends at once what fills a transaction, and counts what waits by its gas and not by its number', async () => {
    const queue = Array.from({ length: 20 }, (_, index) => item(`${index}`));
    const world = { pendingBatches: [pending(6n, { sentAtMs: NOW_MS })], queue, oldestAtMs: NOW_MS };
    const filled = (part: number) => ({ fit: (items: readonly LaneItem[]) => ({ items, filled: part }) });
    expect(await roundOn(SEQUENCED, world, filled(1))).toMatchObject({ end: 'moved' });
    expect(await roundOn(SEQUENCED, world, filled(0.99))).toEqual({ end: 'waiting', done: [] });
    const waited = { ...world, oldestAtMs: NOW_MS - 20 };
    expect(await roundOn(SEQUENCED, waited, filled(0.5))).toMatchObject({ end: 'moved' });
    expect(await roundOn(SEQUENCED, waited, filled(0.2))).toEqual({ end: 'waiting', done: [] });
  });

  test('lets fewer payments than are worth an early transaction gather for the longest time', async () => {
    const queue = Array.from({ length: 15 }, (_, index) => item(`${index}`));
    const world = { pendingBatches: [pending(6n, { sentAtMs: NOW_MS })], queue };
    const full = { fit: (items: readonly LaneItem[]) => ({ items, filled: 1 }) };
    expect(await roundOn(SEQUENCED, { ...world, oldestAtMs: NOW_MS - 99 }, full)).toEqual({ end: 'waiting', done: [] });
    expect(await roundOn(SEQUENCED, { ...world, oldestAtMs: NOW_MS - 100 }, full)).toMatchObject({ end: 'moved' });
  });

  test('gives up a batch only when a final block holds another transaction under its nonce', async () => {
    const world = { pendingBatches: [pending(6n)] };
    expect((await roundOn(SEQUENCED, world)).done).toEqual(['give up batch 6']);
    expect((await roundOn(SEQUENCED, world, { findReplaced: async () => [] })).done).toEqual([]);
  });

  test('bumps the fee of a batch that waits too long, and stores the bump before it broadcasts it', async () => {
    const world = { pendingBatches: [pending(7n, { transactions: [transaction('tx', NOW_MS - PACE.bumpMs)] })] };
    expect((await roundOn(SEQUENCED, world)).done).toEqual(['store bumped tx of batch 7', 'broadcast bumped tx']);
  });

  test('behind a nonce gap neither bumps a fee nor sends: it notes the obstacle and stops', async () => {
    const old = { transactions: [transaction('tx', 0)] };
    const world = { pendingBatches: [pending(8n, old)], queue: [item('one')] };
    expect(await roundOn(SEQUENCED, world)).toEqual({ end: 'blocked', done: ['obstacle nonce_gap', 'broadcast tx'] });
  });

  test('with an obstacle sends nothing before chain and database agree', async () => {
    const world = { state: { obstacle: 'nonce_behind' as const }, queue: [item('one')] };
    const behind = { nonceRange: async () => ({ lowest: 6n, highest: 6n }) };
    expect(await roundOn(SEQUENCED, world, behind)).toEqual({ end: 'blocked', done: [] });
    expect(await roundOn(SEQUENCED, world)).toEqual({ end: 'moved', done: ['obstacle null'] });
    // Also when it has nothing to send, or may not: otherwise the lane would stay stopped.
    for (const state of [{}, { open: false }, { share: undefined }])
      expect(await roundOn(SEQUENCED, { state: { ...world.state, ...state } })).toMatchObject({ end: 'moved' });
  });

  test('sends nothing behind a batch that no node takes', async () => {
    const world = { pendingBatches: [pending(7n, { status: 'signed' })], queue: [item('one')] };
    const refusing = { broadcast: async () => ({ outcome: 'not_sent' as const, reason: 'full' }) };
    expect(await roundOn(SEQUENCED, world, refusing)).toEqual({ end: 'blocked', done: [] });
  });
});

describe('an expiring lane', () => {
  test('sends each payment in a transaction of its own, all of them stored before the first is broadcast', async () => {
    const { done } = await roundOn(EXPIRING, { queue: [item('one'), item('two')] });
    expect(done).toEqual(['store 7:one 8:two', 'broadcast tx of one', 'broadcast tx of two']);
  });

  test('sends its payments also when it is closed and has no share, because no other lane can', async () => {
    const world = { queue: [item('one')], state: { open: false, share: undefined } };
    expect(await roundOn(EXPIRING, world)).toMatchObject({ end: 'moved' });
  });

  test('fills the room that pending transactions leave, and waits for none of them', async () => {
    const queue = [item('one'), item('two'), item('three')];
    const world = { pendingBatches: [pending(6n, { sentAtMs: NOW_MS })], queue, pace: { maxInFlight: 3 } };
    expect((await roundOn(EXPIRING, world)).done[0]).toBe('store 7:one 8:two');
  });

  test('broadcasts the same bytes until the transaction expires, and then gives it up', async () => {
    const world = { pendingBatches: [pending(5n), pending(6n)] };
    const oneExpired = { findExpired: async () => ['batch 5'] };
    expect(await roundOn(EXPIRING, world, oneExpired)).toEqual({
      end: 'moved',
      done: ['give up batch 5', 'broadcast tx 6'],
    });
  });
});

describe('a processor that refuses everything', () => {
  const queueOf = (count: number) => Array.from({ length: count }, (_, index) => item(`${index}`));
  const refuses = {
    simulate: async (items: readonly LaneItem[]) =>
      items.some(({ processor }) => processor === 'p')
        ? { ok: false as const, cause: 'paused' as const, reason: 'paused', chainTimeSeconds: 0n }
        : common.simulate(items),
    fit: (queue: readonly LaneItem[]) => ({
      items: queue.filter(({ processor }) => processor === queue[0]?.processor),
      filled: 0,
    }),
  };
  test('does not stop what is paid directly', async () => {
    const direct = { ...item('direct'), processor: 'wallet' };
    const { end, done } = await roundOn(SEQUENCED, { queue: [...queueOf(3), direct] }, refuses);
    expect({ end, done }).toEqual({ end: 'moved', done: ['store 7:direct', 'broadcast tx of direct'] });
  });
  test('leaves the head of the queue to what may wait behind a whole page, and only then', async () => {
    expect(await roundOn(SEQUENCED, { queue: queueOf(199) }, refuses)).toEqual({ end: 'blocked', done: [] });
    const page = queueOf(200);
    expect(await roundOn(SEQUENCED, { queue: page }, refuses)).toEqual({
      end: 'moved',
      done: [`defer ${idsOf(page)}`],
    });
  });
});

test('a round links the payments of a batch that has waited for long enough, and of no other', async () => {
  const waited = (ms: number) => pending(6n, { sentAtMs: NOW_MS - ms });
  const linksOf = async (batch: PendingBatch) => {
    const links: string[] = [];
    await roundOn(SEQUENCED, { pendingBatches: [batch], pace: { linkMs: 500 }, links });
    return links;
  };
  expect(await linksOf(waited(499))).toEqual([]);
  expect(await linksOf(waited(500))).toEqual(['batch 6 to tx 6']);
  expect(await linksOf({ ...waited(500), linkedTo: 'tx 6' })).toEqual([]);
});
