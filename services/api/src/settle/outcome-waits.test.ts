import type { AwaitedPayment } from '@svc-pay/core';
import { newId } from '@svc-pay/protocol/ids';
import { expect, test } from 'vitest';
import { createOutcomeWaits } from './outcome-waits.ts';

const paymentOf = (): AwaitedPayment => ({
  caller: { accountId: newId('account', 0), keyId: newId('key', 0), kind: 'publishable', mode: 'test' },
  intentId: newId('paymentIntent', 0),
  paymentId: newId('payment', 0),
});

function world(change: Partial<Parameters<typeof createOutcomeWaits>[0]> = {}) {
  const watched = new Map<string, () => void>();
  const polls: number[] = [];
  const ended = new Set<string>();
  const problems: unknown[] = [];
  const waits = createOutcomeWaits({
    watchIntent: async (intentId, onChange) => {
      watched.set(intentId, onChange);
      return () => void watched.delete(intentId);
    },
    findFinished: async (awaited) => {
      polls.push(awaited.length);
      return awaited.map(({ paymentId }) => paymentId).filter((id) => ended.has(id));
    },
    firstLookMs: 50,
    laterLooksMs: 50,
    max: 10_000,
    onProblem: (problem) => problems.push(problem),
    ...change,
  });
  return { waits, watched, polls, ended, problems };
}
const soon = () => new Promise((resolve) => setTimeout(resolve, 0));

test('a notification wakes those who wait for that payment, and only them', async () => {
  const { waits, watched } = world({ firstLookMs: 60_000 });
  const [mine, other] = [paymentOf(), paymentOf()];
  const [first, second, elsewhere] = [mine, mine, other].map((payment) => waits.awaitResult(payment, 300));
  await soon();
  expect(watched.size).toBe(2);
  watched.get(mine.intentId)?.();
  expect(await Promise.all([first, second])).toEqual([true, true]);
  expect(await elsewhere).toBe(false);
  expect([waits.count(), watched.size]).toEqual([0, 0]);
});

test('2,048 who wait cost few statements, and nothing is asked when nobody waits', async () => {
  const { waits, polls, ended } = world();
  const payments = Array.from({ length: 2_048 }, paymentOf);
  const all = payments.map((payment) => waits.awaitResult(payment, 5_000));
  expect(waits.count()).toBe(2_048);
  await new Promise((resolve) => setTimeout(resolve, 180));
  // They began within some milliseconds, so a look may find some of them not yet due.
  expect(polls.reduce((sum, asked) => sum + asked, 0)).toBeGreaterThanOrEqual(2_048);
  expect(polls.length).toBeLessThanOrEqual(4);
  for (const { paymentId } of payments) ended.add(paymentId);
  expect(new Set(await Promise.all(all))).toEqual(new Set([true]));
  const asked = polls.length;
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(polls.length).toBe(asked);
});

test('a wait looks by itself soon, then seldom, and only for those that are due', async () => {
  const { waits, polls } = world({ firstLookMs: 40, laterLooksMs: 60_000 });
  const payments = Array.from({ length: 20 }, paymentOf);
  const all = payments.map((payment) => waits.awaitResult(payment, 400));
  await new Promise((resolve) => setTimeout(resolve, 200));
  const late = waits.awaitResult(paymentOf(), 200);
  const first = polls.splice(0);
  await Promise.all([...all, late]);
  // They began within some milliseconds, so that one look may not find all of them due.
  expect(first.reduce((sum, asked) => sum + asked, 0)).toBe(20);
  expect(first.length).toBeLessThanOrEqual(2);
  expect(polls).toEqual([1]);
});

test('a change between the claim and the wait ends the wait, once', async () => {
  const { waits, watched, polls } = world({ firstLookMs: 60_000 });
  const payment = paymentOf();
  const unwatch = waits.watchResult(payment.intentId);
  await soon();
  watched.get(payment.intentId)?.();
  expect(await waits.awaitResult(payment, 60_000)).toBe(true);
  expect(await waits.awaitResult(payment, 50)).toBe(false);
  expect([watched.size, polls]).toEqual([1, []]);
  unwatch();
  expect([waits.count(), watched.size]).toEqual([0, 0]);
});

test('a change between two waits of one call ends the second', async () => {
  const { waits, watched } = world({ firstLookMs: 60_000 });
  const payment = paymentOf();
  const unwatch = waits.watchResult(payment.intentId);
  const first = waits.awaitResult(payment, 60_000);
  await soon();
  watched.get(payment.intentId)?.();
  expect(await first).toBe(true);
  watched.get(payment.intentId)?.();
  expect(await waits.awaitResult(payment, 60_000)).toBe(true);
  unwatch();
});

test('a poll that fails or hangs ends nobody’s wait, and does not pile up', async () => {
  let asked = 0;
  const { waits, problems } = world({
    firstLookMs: 20,
    laterLooksMs: 20,
    findFinished: async () => {
      asked += 1;
      if (asked === 1) throw new Error('no connection');
      return new Promise(() => {});
    },
  });
  expect(await waits.awaitResult(paymentOf(), 200)).toBe(false);
  expect([asked, problems.length]).toEqual([2, 1]);
});

test('who can’t be told of changes still finds out by looking', async () => {
  const { waits, ended, problems } = world({
    watchIntent: async () => {
      throw new Error('no watcher');
    },
  });
  const payment = paymentOf();
  ended.add(payment.paymentId);
  expect(await waits.awaitResult(payment, 5_000)).toBe(true);
  expect(problems).toHaveLength(1);
});

test('when the process stops everybody is let go, and nobody waits any more', async () => {
  const { waits } = world();
  const waiting = waits.awaitResult(paymentOf(), 60_000);
  waits.endAll();
  expect(await waiting).toBe(false);
  expect(await waits.awaitResult(paymentOf(), 60_000)).toBe(false);
});

test('past the most that may wait the next one does not', async () => {
  const { waits } = world({ max: 1 });
  const first = waits.awaitResult(paymentOf(), 100);
  expect(await waits.awaitResult(paymentOf(), 60_000)).toBe(false);
  expect(await first).toBe(false);
});

test('a wait that outlasts a stop goes on until requests are about to be cut off', async () => {
  const { waits, watched } = world({ firstLookMs: 60_000 });
  const [told, cut] = [paymentOf(), paymentOf()].map((payment) => ({ ...payment, outlastsStop: true }));
  const [first, second] = [waits.awaitResult(told!, 60_000), waits.awaitResult(cut!, 60_000)];
  waits.endAll();
  const later = waits.awaitResult({ ...paymentOf(), outlastsStop: true }, 60_000);
  await soon();
  watched.get(told!.intentId)?.();
  expect(await first).toBe(true);
  waits.cutOff();
  expect(await Promise.all([second, later])).toEqual([false, false]);
  expect(await waits.awaitResult({ ...paymentOf(), outlastsStop: true }, 60_000)).toBe(false);
});

test('one account takes a quarter of the waits, and test accounts together a half', async () => {
  const { waits } = world({ max: 8 });
  const [mine, live] = [paymentOf(), paymentOf()];
  const wait = (payment: AwaitedPayment) => waits.awaitResult(payment, 100);
  const own = () => wait({ ...mine, paymentId: newId('payment', 0) });
  const waiting = [own(), own()];
  expect(await waits.awaitResult(mine, 60_000)).toBe(false);
  waiting.push(wait(paymentOf()), wait(paymentOf()));
  expect(waits.count()).toBe(4);
  expect(await waits.awaitResult(paymentOf(), 60_000)).toBe(false);
  waiting.push(wait({ ...live, caller: { ...live.caller, mode: 'live' } }));
  expect(waits.count()).toBe(5);
  await Promise.all(waiting);
  expect(waits.count()).toBe(0);
});
