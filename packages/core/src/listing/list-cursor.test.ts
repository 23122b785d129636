import { newId } from '@svc-pay/protocol/ids';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cursorOf, justAfter, justBefore, type ListedBy, readCursor } from './list-cursor.ts';

const PEPPER = Buffer.from('pepper-of-the-tests-pepper-of-the-tests');
const caller = { accountId: newId('account', 1), mode: 'test' } as const;
const listed: ListedBy = { caller, list: 'payments', filters: { status: 'failed', payer: undefined } };
const position = newId('payment', 1_700_000_000_000);

test('a cursor is read back by the same list with the same filters, in whatever order they are given', () => {
  const cursor = cursorOf(PEPPER, { ...listed, filters: { b: '1', a: '2' } }, position);
  expect(readCursor([PEPPER], { ...listed, filters: { a: '2', c: undefined, b: '1' } }, cursor)).toBe(position);
});

test.each([
  ['account', { ...listed, caller: { ...caller, accountId: newId('account', 2) } }],
  ['mode', { ...listed, caller: { ...caller, mode: 'live' as const } }],
  ['list', { ...listed, list: 'payment_intents' as const }],
  ['filter', { ...listed, filters: { status: 'completed' } }],
  ['set of filters', { ...listed, filters: {} }],
])('it is nothing to another %s', (_, other) => {
  expect(readCursor([PEPPER], other, cursorOf(PEPPER, listed, position))).toBeUndefined();
});

test('a changed character anywhere makes it nothing', () => {
  const cursor = cursorOf(PEPPER, listed, position);
  fc.assert(
    fc.property(fc.nat(cursor.length - 1), fc.constantFrom('a', 'b', 'X', 'Z', '0', '9', '-', '_'), (at, character) => {
      const changed = `${cursor.slice(0, at)}${character}${cursor.slice(at + 1)}`;
      const same = Buffer.from(changed, 'base64url').equals(Buffer.from(cursor, 'base64url'));
      if (!same) expect(readCursor([PEPPER], listed, changed)).toBeUndefined();
    }),
  );
});

test('no text makes the reader throw', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => readCursor([PEPPER], listed, text) === undefined),
    { numRuns: 50 },
  );
});

test('the two sides of an item are next to it, and a bound has no item on it', () => {
  expect(justBefore(position) < position && position < justAfter(position)).toBe(true);
  expect([justBefore('pay_01m7e80a67'), justAfter('pay_01m7e80a67')]).toEqual(['pay_01m7e80a67', 'pay_01m7e80a67']);
});

test('a cursor of an older pepper is taken as long as that pepper is given', () => {
  const next = Buffer.alloc(32, 9);
  const cursor = cursorOf(PEPPER, listed, position);
  expect(readCursor([next, PEPPER], listed, cursor)).toBe(position);
  expect(readCursor([next], listed, cursor)).toBeUndefined();
});
