import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ENDPOINT_OFF_AFTER_MS,
  type EndpointFacts,
  type EndpointSign,
  endpointOffAtMs,
  judgeEndpointHealth,
} from './endpoint-health.ts';

const NOW = 1_794_744_000_000;
const DAY_MS = 86_400_000;
const LONG_AGO = NOW - 30 * DAY_MS;

type Says = EndpointSign['says'];

const endpoint = (change: Partial<EndpointFacts> = {}): EndpointFacts => ({
  status: 'enabled',
  failingSinceMs: null,
  changedAtMs: LONG_AGO,
  ...change,
});
const signs = (says: readonly Says[], startedAtMs = NOW - 1_000) => says.map((each) => ({ says: each, startedAtMs }));
const judge = (facts: EndpointFacts | undefined, ...says: Says[]) => judgeEndpointHealth(facts, signs(says), NOW);

const FOUR_DAYS = NOW - 4 * DAY_MS;
const FIVE_DAYS = NOW - ENDPOINT_OFF_AFTER_MS;
const UNCHANGED = { next: 'unchanged' };
const HEALTHY = { next: 'healthy' };

test.each<[string, number | null, Says[], object]>([
  ['the first failure begins the count', null, ['failed'], { next: 'failing', sinceMs: NOW }],
  ['further failures count on from the first', FOUR_DAYS, ['failed', 'failed'], UNCHANGED],
  ['five days of failures switch off', FIVE_DAYS, ['failed'], { next: 'off', reason: 'failing', sinceMs: FIVE_DAYS }],
  ['a millisecond less does not', FIVE_DAYS + 1, ['failed'], UNCHANGED],
  ['a success ends the count', FOUR_DAYS, ['succeeded'], HEALTHY],
  ['a success outweighs failures beside it', FIVE_DAYS, ['failed', 'succeeded', 'failed'], HEALTHY],
  ['410 switches off at once', null, ['gone'], { next: 'off', reason: 'gone', sinceMs: NOW }],
  ['410 outweighs a success', FOUR_DAYS, ['gone', 'succeeded'], { next: 'off', reason: 'gone', sinceMs: FOUR_DAYS }],
  ['our own faults say nothing', LONG_AGO, ['nothing', 'nothing'], UNCHANGED],
  ['no report says nothing', LONG_AGO, [], UNCHANGED],
])('%s', (_title, failingSinceMs, says, expected) => {
  expect(judge(endpoint({ failingSinceMs }), ...says)).toEqual(expected);
});

test.each(['disabled', 'deleted'] as const)('nothing changes the health of an endpoint that is %s', (status) => {
  for (const says of ['succeeded', 'failed', 'gone'] as const) {
    expect(judge(endpoint({ status, failingSinceMs: LONG_AGO }), says)).toEqual(UNCHANGED);
  }
});

test('an endpoint that was not loaded is judged by successes alone', () => {
  expect(judge(undefined, 'succeeded')).toEqual(HEALTHY);
  expect(judge(undefined, 'failed')).toEqual(UNCHANGED);
  expect(judge(undefined, 'gone')).toEqual(UNCHANGED);
});

describe('an attempt that began before the endpoint was changed or enabled', () => {
  const changed = endpoint({ failingSinceMs: FIVE_DAYS, changedAtMs: NOW - 500 });
  test.each(['gone', 'failed'] as const)('does not count when it %s', (says) => {
    expect(judgeEndpointHealth(changed, signs([says], NOW - 501), NOW)).toEqual(UNCHANGED);
    expect(judgeEndpointHealth(changed, signs([says], NOW - 500), NOW)).toMatchObject({ next: 'off' });
  });
});

test('whatever is reported, only 410 or a failure five days after the first one since a success switches off', () => {
  const step = fc.record({
    says: fc.constantFrom<Says>('succeeded', 'failed', 'failed', 'failed', 'gone', 'nothing'),
    afterMs: fc.integer({ min: 0, max: 2 * DAY_MS }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      let nowMs = NOW;
      let failingSinceMs: number | null = null;
      let firstFailureMs: number | undefined;
      for (const { says, afterMs } of steps) {
        nowMs += afterMs;
        const decision = judgeEndpointHealth(endpoint({ failingSinceMs }), [{ says, startedAtMs: nowMs }], nowMs);
        if (says === 'succeeded') firstFailureMs = undefined;
        if (says === 'failed') firstFailureMs ??= nowMs;
        const worn = says === 'failed' && nowMs - firstFailureMs! >= 5 * DAY_MS;
        expect(decision.next === 'off').toBe(says === 'gone' || worn);
        if (decision.next === 'off') return;
        if (decision.next === 'healthy') failingSinceMs = null;
        if (decision.next === 'failing') failingSinceMs = decision.sinceMs;
      }
    }),
  );
});

test('the day on which an endpoint will be switched off is told', () => {
  expect(endpointOffAtMs(NOW)).toBe(NOW + 5 * DAY_MS);
});
