import { expect, test } from 'vitest';
import { canSettle, chooseRelayer, type RelayerToChoose } from './choose-relayer.ts';

const relayer = (address: string, change: Partial<RelayerToChoose> = {}): RelayerToChoose => ({
  address,
  status: 'active',
  duty: 'settle',
  condition: 'fine',
  ...change,
});
const INTENTS = Array.from({ length: 100 }, (_, index) => `pi_${index}`);

test.each<[string, Partial<RelayerToChoose>]>([
  ['draining', { status: 'draining' }],
  ['retired', { status: 'retired' }],
  ['for stranded transfers', { duty: 'resolve_stranded' }],
  ['out of coins', { condition: 'empty' }],
  ['not allowed', { condition: 'not_allowed' }],
])('a relayer that is %s is never chosen', (_, change) => {
  for (const intent of INTENTS) {
    expect(chooseRelayer([relayer('a', change), relayer('b', { condition: 'low' })], intent)).toBe('b');
  }
  expect(chooseRelayer([relayer('a', change)], 'pi_1')).toBeUndefined();
});

test('one intent gets one relayer, in whatever order they are read, and intents are spread over all', () => {
  const all = ['a', 'b', 'c'].map((address) => relayer(address));
  const chosen = INTENTS.map((intent) => chooseRelayer(all, intent));
  expect(INTENTS.map((intent) => chooseRelayer(all.toReversed(), intent))).toEqual(chosen);
  expect(new Set(chosen)).toEqual(new Set(['a', 'b', 'c']));
});

test('a relayer that leaves changes only the choice of its own intents', () => {
  const all = ['a', 'b', 'c'].map((address) => relayer(address));
  for (const intent of INTENTS) {
    const before = chooseRelayer(all, intent);
    if (before !== 'c') expect(chooseRelayer(all.slice(0, 2), intent)).toBe(before);
  }
});

test('what names a draining relayer is still taken, and what names a retired one or one without that duty is not', () => {
  const taken = (change: Partial<RelayerToChoose>) => canSettle(relayer('a', change));
  expect([taken({}), taken({ status: 'draining' }), taken({ condition: 'empty' })]).toEqual([true, true, true]);
  expect([taken({ status: 'retired' }), taken({ duty: 'resolve_stranded' })]).toEqual([false, false]);
});
