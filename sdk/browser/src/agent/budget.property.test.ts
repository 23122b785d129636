import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AgentWorld, type Answer, agentWorld, type Behaviour } from '../testing/agent-world.ts';

const LIMITS = { perRequest: '0.05', perHost: '0.12', perDay: '0.18' };
const LOWERED = { perRequest: '0.01', perHost: { 'one.example': '0.03' }, perDay: '0.03' };
const ATOMIC = { request: 50_000n, host: 120_000n, day: 180_000n };
const ANSWERS: readonly Answer[] = [
  'ok',
  'ok',
  'broken',
  'asks_again',
  'fails',
  'lost',
  'hangs',
  'pending',
  'not_found',
  'redirects_away',
  'redirects_within',
];

const behaviour: fc.Arbitrary<Behaviour> = fc.record({
  version: fc.constantFrom(1, 2),
  price: fc.integer({ min: 5_000, max: 60_000 }),
  answer: fc.constantFrom(...ANSWERS),
  settles: fc.boolean(),
});
const call = fc.record({
  url: fc.constantFrom('https://one.example/a', 'https://one.example/b', 'https://two.example/a'),
  key: fc.constantFrom(undefined, undefined, 'order-1', 'order-2'),
  body: fc.constantFrom(undefined, undefined, undefined, 'one', 'two'),
});
const DAY_MS = 86_400_000;
const MONTHS_MS = 40 * DAY_MS;
const limits = fc.constantFrom(LIMITS, LOWERED);
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      calls: fc.array(call, { minLength: 1, maxLength: 3 }),
      script: fc.array(behaviour, { minLength: 6, maxLength: 12 }),
      crashAfter: fc.option(fc.integer({ min: 1, max: 24 }), { nil: undefined }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ limits }) },
  {
    weight: 4,
    arbitrary: fc.record({ aheadMs: fc.constantFrom(0, 0, 0, DAY_MS, -DAY_MS, MONTHS_MS, MONTHS_MS, -MONTHS_MS) }),
  },
  { weight: 3, arbitrary: fc.record({ advanceMs: fc.integer({ min: 1_000, max: 900_000 }) }) },
  { weight: 1, arbitrary: fc.record({ settleAll: fc.constant(true) }) },
  { weight: 1, arbitrary: fc.record({ reconcile: fc.constant(true) }) },
);

test('over any answers, crashes, limits and clocks: never over budget, never twice, never to another origin', async () => {
  let sent = 0;
  let crashed = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 16 }), fc.boolean(), async (steps, rpc) => {
      const world = agentWorld(LIMITS, { rpc });
      for (const one of steps) {
        if ('advanceMs' in one) await world.advance(one.advanceMs);
        else if ('aheadMs' in one) world.setClock(one.aheadMs);
        else if ('limits' in one) world.restart(one.limits);
        else if ('settleAll' in one) world.settleAll();
        else if ('reconcile' in one) await world.time.run(world.reconcile());
        else if ((await world.run(one.calls, one.script, one.crashAfter)) === 'crashed') crashed += 1;
        holds(world);
      }
      // The worst that the sellers can still do.
      world.settleAll();
      holds(world);
      sent += world.given.size;
    }),
    // Without shrinking, which takes minutes: the seed repeats the run.
    { numRuns: 400, endOnFailure: true },
  );
  expect(sent).toBeGreaterThan(400);
  expect(crashed).toBeGreaterThan(100);
}, 120_000);

function holds(world: AgentWorld): void {
  const atStake = world.atStake();
  const sum = (of: typeof atStake) => of.reduce((total, { value }) => total + value, 0n);
  for (const { value } of atStake) expect(value <= ATOMIC.request).toBe(true);
  for (const [, ofDay] of Map.groupBy(atStake, ({ day }) => day)) {
    expect(sum(ofDay) <= ATOMIC.day).toBe(true);
    for (const [, ofHost] of Map.groupBy(ofDay, ({ host }) => host)) expect(sum(ofHost) <= ATOMIC.host).toBe(true);
  }
  for (const [purchase, payments] of Map.groupBy(atStake, (one) => one.purchase)) {
    // Without a key of its own a request may be bought again once its answer arrived whole.
    const allowed = payments[0]?.isKeyed === true ? 1 : 1 + (world.delivered.get(purchase) ?? 0);
    expect(payments.length).toBeLessThanOrEqual(allowed);
  }
  const { signedAboveLimits, countedBack, sentElsewhere } = world;
  expect({ signedAboveLimits, countedBack, sentElsewhere }).toEqual({
    signedAboveLimits: [],
    countedBack: [],
    sentElsewhere: [],
  });
}
