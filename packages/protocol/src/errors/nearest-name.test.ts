import { expect, test } from 'vitest';
import { nearestName } from './nearest-name.ts';

const FIELDS = ['url', 'eventTypes', 'retryCount', 'timeoutSeconds', 'headers'];

test.each([
  ['eventTypes', 'eventTypes'],
  ['event_types', 'eventTypes'],
  ['EVENTTYPES', 'eventTypes'],
  ['eventTpyes', 'eventTypes'],
  ['events', 'eventTypes'],
  ['header', 'headers'],
  ['URL', 'url'],
  ['timeout', 'timeoutSeconds'],
  ['retries', 'retryCount'],
])('%s means %s', (given, meant) => {
  expect(nearestName(given, FIELDS)).toBe(meant);
});

test.each(['', 'description', 'x', '__proto__', 'u'.repeat(10_000)])('%s is near to nothing', (given) => {
  expect(nearestName(given, FIELDS)).toBeUndefined();
});

test('of two near names the nearer one is meant, not the first', () => {
  expect(nearestName('basesepolia_usdd', ['base_usdc', 'basesepolia_eurc', 'basesepolia_usdc'])).toBe(
    'basesepolia_usdc',
  );
});
