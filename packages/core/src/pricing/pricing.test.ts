import { parseRate } from '@svc-pay/money';
import { expect, test } from 'vitest';
import { TOKENS } from '../token/catalogue.ts';
import { createHttpFeed } from './http-feed.ts';
import { createPricing } from './price-source.ts';

const usdc = TOKENS.find(({ shortcode }) => shortcode === 'base_usdc')!;
const eurc = TOKENS.find(({ shortcode }) => shortcode === 'base_eurc')!;
const startMs = 1_700_000_000_000;

function movableClock() {
  let nowMs = startMs;
  return { nowMs: () => nowMs, move: (byMs: number) => (nowMs += byMs) };
}

function feedAnswering(answers: unknown[]) {
  const clock = movableClock();
  const problems: unknown[] = [];
  const asked: string[] = [];
  const feed = createHttpFeed({
    clock,
    url: 'http://prices.test',
    refreshMs: 1_000,
    getJson: async (url) => {
      asked.push(url);
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      if (answer instanceof Error) throw answer;
      return answer;
    },
    onProblem: (_, problem) => problems.push(problem),
  });
  const rateOf = createPricing({ clock, maxAgeMs: 60_000, feed });
  return { clock, problems, asked, rateOf };
}

const quote = (usd: unknown, ageMs = 0) => ({ usd, observedAt: new Date(startMs - ageMs).toISOString() });

test('a stablecoin costs one dollar and asks nobody', async () => {
  const { rateOf, asked } = feedAnswering([quote('2')]);
  expect(await rateOf(usdc)).toMatchObject({ usdPerToken: 10n ** 18n, source: 'fixed' });
  expect(asked).toEqual([]);
});

test('a feed is asked once per interval, however many intents need it', async () => {
  const { rateOf, asked, clock } = feedAnswering([quote('1.08')]);
  const rates = await Promise.all(Array.from({ length: 20 }, () => rateOf(eurc)));
  for (const rate of rates) expect(rate).toMatchObject({ usdPerToken: 1_080_000_000_000_000_000n });
  expect(asked).toEqual(['http://prices.test/EURC']);
  clock.move(1_000);
  await rateOf(eurc);
  expect(asked).toHaveLength(2);
});

test('when the feed fails the last price serves until it is stale, and the failure is told', async () => {
  const { rateOf, clock, problems } = feedAnswering([quote('1.08'), new Error('down')]);
  await rateOf(eurc);
  clock.move(30_000);
  expect(await rateOf(eurc)).toBeDefined();
  expect(problems).toHaveLength(1);
  clock.move(31_000);
  expect(await rateOf(eurc)).toBeUndefined();
});

test.each([
  ['stale', quote('1.08', 61_000)],
  ['from the future', quote('1.08', -60_000)],
  ['zero', quote('0')],
  ['negative', quote('-1')],
  ['text', quote('free')],
  ['without a time', { usd: '1' }],
  ['HTML', '<html>'],
  ['nothing', null],
])('a price that is %s is no price', async (_, answer) => {
  expect(await feedAnswering([answer]).rateOf(eurc)).toBeUndefined();
});

test('a rate is exact as text and as a JSON number', () => {
  const parsed = parseRate({ token: eurc.unit, usdPerToken: 1.1, source: 'x', observedAtMs: 1 });
  expect(parsed).toMatchObject({ ok: true, rate: { usdPerToken: 1_100_000_000_000_000_000n } });
});
