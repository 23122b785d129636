import { atomicAmount, parseRate } from '@svc-pay/money';
import { describe, expect, test } from 'vitest';
import { TOKENS } from './catalogue.ts';
import { confirmationsFor } from './confirmations.ts';

const token = TOKENS.find(({ shortcode }) => shortcode === 'basesepolia_usdc');
if (token === undefined) throw new Error('no token');
const read = parseRate({ token: token.unit, usdPerToken: '1', source: 'test', observedAtMs: 0 });
if (!read.ok) throw new Error(read.code);
const worth = (atomic: bigint) => ({ token, rate: read.rate, amount: atomicAmount(atomic) });

test('a part of a millionth of a dollar counts as a whole one, so that nobody stays below a step by dust', () => {
  const finer = TOKENS.find(({ shortcode }) => shortcode === 'arbitrum_arb');
  const rate = finer && parseRate({ token: finer.unit, usdPerToken: '1', source: 'test', observedAtMs: 0 });
  if (!rate?.ok) throw new Error('no rate');
  const amount = (micros: bigint, rest: bigint) => atomicAmount(micros * 10n ** 12n + rest);
  const blocks = (atomic: ReturnType<typeof amount>) =>
    confirmationsFor([{ fromUsd: '1', blocks: 5 }], { rate: rate.rate, amount: atomic });
  // Rounded up: 0.9999991 dollars count as one dollar, 0.999999 do not.
  expect(blocks(amount(999_999n, 0n))).toBe(1);
  expect(blocks(amount(999_999n, 1n))).toBe(5);
});

describe('blocks before a payment is called completed', () => {
  const steps = [
    { fromUsd: '1000', blocks: 12 },
    { fromUsd: '100.5', blocks: 3 },
  ];

  test('one, unless the operator says otherwise', () => {
    expect(confirmationsFor(undefined, worth(10n ** 15n))).toBe(1);
    expect(confirmationsFor([], worth(10n ** 15n))).toBe(1);
  });

  test('the same for every amount when it is a number', () => {
    expect(confirmationsFor(7, worth(1n))).toBe(7);
  });

  test.each([
    [100_499_999n, 1],
    [100_500_000n, 3],
    [999_999_999n, 3],
    [1_000_000_000n, 12],
    [10n ** 40n, 12],
  ])('%d units ask for %i by steps, in whatever order they are written', (atomic, blocks) => {
    expect(confirmationsFor(steps, worth(atomic))).toBe(blocks);
    expect(confirmationsFor(steps.toReversed(), worth(atomic))).toBe(blocks);
  });
});
