import { expect, test } from 'vitest';
import { createStreamSlots } from './stream-slots.ts';

const LIMITS = { max: 1_000, perAddress: 100, perKey: 400, perIntent: 20 };
const owner = (address: string, key: string, intent: string) => ({ address, key, intent });
const outcome = ({ ok, ...rest }: ReturnType<ReturnType<typeof createStreamSlots>['take']>) =>
  ok ? 'taken' : (rest as { full: string }).full;
const takeMany = (
  slots: ReturnType<typeof createStreamSlots>,
  count: number,
  at: (index: number) => ReturnType<typeof owner>,
) =>
  Array.from({ length: count }, (_, index) => outcome(slots.take(at(index)))).filter((end) => end === 'taken').length;

test('a thousand streams of one key from one address leave most places to others', () => {
  const slots = createStreamSlots(LIMITS);
  expect(takeMany(slots, 1_000, (index) => owner('a', 'k', `pi_${index}`))).toBe(100);
  expect(outcome(slots.take(owner('b', 'other', 'pi_other')))).toBe('taken');
});

test('nor does one key from a thousand addresses take them all', () => {
  const slots = createStreamSlots(LIMITS);
  expect(takeMany(slots, 1_000, (index) => owner(`a${index}`, 'k', `pi_${index}`))).toBe(400);
  expect(outcome(slots.take(owner('b', 'other', 'pi_other')))).toBe('taken');
});

test('an intent has its own limit, and a full process refuses everybody', () => {
  const slots = createStreamSlots({ ...LIMITS, max: 30 });
  expect(takeMany(slots, 30, (index) => owner(`a${index}`, `k${index}`, 'pi'))).toBe(20);
  expect(takeMany(slots, 30, (index) => owner(`b${index}`, `l${index}`, `pi_${index}`))).toBe(10);
  expect(outcome(slots.take(owner('c', 'm', 'pi_c')))).toBe('process');
  expect(outcome(slots.take(owner('c', 'm', 'pi')))).toBe('owner');
});

test('a place that is given back is free again, once', () => {
  const slots = createStreamSlots({ ...LIMITS, perAddress: 1 });
  const first = slots.take(owner('a', 'k', 'pi'));
  expect(outcome(slots.take(owner('a', 'k', 'pi')))).toBe('owner');
  if (!first.ok) throw new Error('refused');
  first.release();
  first.release();
  expect(outcome(slots.take(owner('a', 'k', 'pi')))).toBe('taken');
  expect(outcome(slots.take(owner('a', 'k', 'pi')))).toBe('owner');
});
