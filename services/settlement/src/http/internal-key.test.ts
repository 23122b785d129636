import { expect, test } from 'vitest';
import { createInternalKeyCheck } from './internal-key.ts';

const [OLD, NEW] = ['internal-key-of-last-year-0123456789', 'internal-key-of-this-year-0123456789'];
const isInternalKey = createInternalKeyCheck([OLD, NEW]);

test.each([OLD, NEW])('each configured key is good: %s', (key) => {
  expect(isInternalKey(`Bearer ${key}`)).toBe(true);
  expect(isInternalKey(`bearer ${key}`)).toBe(true);
});

test.each([
  ['no header', undefined],
  ['an empty header', ''],
  ['another key', 'Bearer internal-key-of-nobody-0123456789'],
  ['the start of a key', `Bearer ${NEW.slice(0, -1)}`],
  ['a key and more', `Bearer ${NEW}x`],
  ['a key in other letters', `Bearer ${NEW.toUpperCase()}`],
  ['both keys', `Bearer ${OLD} ${NEW}`],
  ['no scheme', NEW],
  ['another scheme', `Basic ${NEW}`],
])('%s is refused', (_, authorization) => {
  expect(isInternalKey(authorization)).toBe(false);
});

test('without configured keys nobody is let in', () => {
  expect(createInternalKeyCheck([])(`Bearer ${NEW}`)).toBe(false);
  expect(createInternalKeyCheck([])('Bearer x')).toBe(false);
});
