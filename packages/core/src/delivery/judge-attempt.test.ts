import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AttemptRecord, LeasedDelivery } from './delivery.ts';
import { judgeAttempt, signOf } from './judge-attempt.ts';
import { retryAfterMs } from './retry-after.ts';
import { retryDelayMs } from './retry-schedule.ts';

const NOW = 1_794_744_000_000;
const HOUR_MS = 3_600_000;
const middle = () => 0.5;

type Given = Partial<Pick<LeasedDelivery, 'attempt' | 'chargedBefore'>> & {
  readonly retryCount?: number;
};

function judge(
  { chargedBefore = 0, attempt = chargedBefore + 1, retryCount = 10 }: Given,
  record: Partial<AttemptRecord>,
  random = middle,
) {
  const endpoint = {
    url: 'https://shop.example/',
    retryCount,
    timeoutMs: 5_000,
    headersCiphertext: null,
    secretCiphertext: null,
    previousSecret: null,
  };
  const { outcome = 'refused', responseStatus = 500, retryAfterMs = null } = record;
  return judgeAttempt({ attempt, chargedBefore, endpoint }, { outcome, responseStatus, retryAfterMs }, NOW, random);
}
const delayOf = (verdict: ReturnType<typeof judge>) => (verdict.next === 'again' ? verdict.atMs - NOW : undefined);

describe('the schedule', () => {
  test('has ten steps from five seconds to a day, about 76 hours together', () => {
    const steps = Array.from({ length: 10 }, (_, index) => retryDelayMs(index + 1, middle));
    expect(steps.map((ms) => ms / 1_000)).toEqual([5, 60, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]);
    expect(steps.reduce((sum, ms) => sum + ms, 0) / HOUR_MS).toBeCloseTo(75.6, 1);
  });

  test('spreads each step by a fifth to either side, and repeats the last', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 36 }),
        fc.double({ min: 0, max: 0.999_999, noNaN: true }),
        (retry, chance) => {
          const plain = retryDelayMs(Math.min(retry, 10), middle);
          const delay = retryDelayMs(retry, () => chance);
          expect(delay).toBeGreaterThanOrEqual(Math.floor(plain * 0.8));
          expect(delay).toBeLessThanOrEqual(Math.ceil(plain * 1.2));
        },
      ),
    );
  });

  test.each([0, 3, 10, 12])('a retry count of %d allows exactly that many retries', (retryCount) => {
    let tries = 0;
    for (let next = 'again'; next === 'again'; tries += 1) {
      ({ next } = judge({ chargedBefore: tries, retryCount }, {}));
    }
    expect(tries).toBe(retryCount + 1);
  });
});

test('what failed on our side is tried again, later each time, and never counts', () => {
  const fault = { outcome: 'our_fault', responseStatus: null } as const;
  const delays = [1, 2, 3, 20].map((attempt) => delayOf(judge({ attempt, chargedBefore: 0, retryCount: 0 }, fault)));
  expect(delays).toEqual([5_000, 10_000, 20_000, HOUR_MS]);
  expect(judge({ retryCount: 0 }, fault)).toMatchObject({ charged: false });
});

test('after a timeout or a 429 an endpoint is tried again after a minute at the earliest', () => {
  expect(delayOf(judge({}, { outcome: 'timed_out', responseStatus: null }))).toBe(60_000);
  expect(delayOf(judge({}, { responseStatus: 429 }))).toBe(60_000);
  expect(delayOf(judge({}, { responseStatus: 503 }))).toBe(5_000);
});

test('the Retry-After of a 429 or a 503 is obeyed, that of other answers is not', () => {
  const asked = 7_200_000;
  expect(delayOf(judge({}, { responseStatus: 429, retryAfterMs: asked }))).toBe(asked);
  expect(delayOf(judge({}, { responseStatus: 503, retryAfterMs: asked }))).toBe(asked);
  expect(delayOf(judge({}, { responseStatus: 429, retryAfterMs: 1_000 }))).toBe(60_000);
  expect(delayOf(judge({}, { responseStatus: 503, retryAfterMs: 1_000 }))).toBe(5_000);
  expect(delayOf(judge({}, { responseStatus: 500, retryAfterMs: asked }))).toBe(5_000);
});

test('410 says that the endpoint is gone, and the delivery is not given up for it', () => {
  expect(judge({ retryCount: 0 }, { responseStatus: 410 })).toMatchObject({ next: 'again', charged: true });
  expect(judge({ retryCount: 0 }, { responseStatus: 404 })).toMatchObject({ next: 'failed' });
});

test.each([
  ['succeeded', 204, 'succeeded'],
  ['refused', 410, 'gone'],
  ['refused', 404, 'failed'],
  ['timed_out', null, 'failed'],
  ['unreachable', null, 'failed'],
  ['blocked', null, 'failed'],
  ['our_fault', null, 'nothing'],
] as const)('an attempt that %s with %j says of its endpoint: %s', (outcome, responseStatus, says) => {
  expect(signOf({ outcome, responseStatus })).toBe(says);
});

test.each([
  ['120', 120_000],
  ['0', 0],
  [' 5 ', 5_000],
  ['9999999999', 24 * HOUR_MS],
  ['Sun, 15 Nov 2026 12:00:30 GMT', 30_000],
  ['Sun, 15 Nov 2026 11:00:00 GMT', 0],
  ['Fri, 31 Dec 2027 23:59:59 GMT', 24 * HOUR_MS],
  ['Sunday, 15-Nov-26 12:00:30 GMT', null],
  ['2026-11-15T12:00:30Z', null],
  ['-1', null],
  ['1.5', null],
  ['soon', null],
  ['', null],
  [undefined, null],
])('Retry-After %j is %j ms', (header, expected) => {
  expect(retryAfterMs(header, Date.parse('2026-11-15T12:00:00Z'))).toBe(expected);
});
