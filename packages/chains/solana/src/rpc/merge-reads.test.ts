// Reads of accounts that were merged: each caller gets its own accounts, in its own order, or none.
import { describe, expect, test } from 'vitest';
import { base58Of } from '../bytes/base58.ts';
import { answerFor, mergeReads } from './merge-reads.ts';

const CONFIG = { commitment: 'confirmed', encoding: 'base64' };
const key = (number: number) => base58Of(Uint8Array.from({ length: 32 }, (_, at) => (at < 2 ? number >> (8 * at) : 7)));
const read = (...addresses: readonly string[]) => ({ method: 'getMultipleAccounts', params: [addresses, CONFIG] });
const told = (...value: readonly unknown[]) => ({ ok: true, result: { context: { slot: 1n }, value } }) as const;
const accountsOf = (answer: unknown) => (answer as { result: { value: unknown } | null }).result?.value;

const [mint, shop, ada, bob] = [key(1), key(2), key(3), key(4)];

test('two payments are one read of what they name together, and each gets its own accounts', () => {
  const [one, other] = [read(mint, ada, shop), read(mint, bob, shop)];
  const [merged, ...more] = mergeReads([one, other]);
  expect(more).toEqual([]);
  expect(merged?.params).toEqual([[mint, ada, shop, bob], CONFIG]);
  const answer = told('mint', 'ada', 'shop', null);
  expect(accountsOf(answerFor(one, merged!, answer))).toEqual(['mint', 'ada', 'shop']);
  expect(accountsOf(answerFor(other, merged!, answer))).toEqual(['mint', null, 'shop']);
});

describe('an answer with another number of accounts', () => {
  test.each([[['mint', 'ada', 'shop']], [['mint', 'ada', 'shop', 'bob', 'more']], [[]]])(
    'is nobody\u2019s: %j',
    (value) => {
      const calls = [read(mint, ada, shop), read(mint, bob, shop)];
      const [merged] = mergeReads(calls);
      for (const call of calls) expect(accountsOf(answerFor(call, merged!, told(...value)))).toBeUndefined();
    },
  );
});

test('no read has more than a hundred addresses, and no caller loses one', () => {
  const calls = Array.from({ length: 150 }, (_, index) => read(mint, shop, key(100 + index)));
  const merged = mergeReads(calls);
  expect(merged.map(({ params }) => (params[0] as readonly string[]).length)).toEqual([100, 54]);
  expect(merged.flatMap(({ askers }) => askers)).toEqual(calls);
});

test.each(['', 'not an address', key(9).slice(1), '1'.repeat(45)])(
  '%j is asked for by itself, and hurts nobody else',
  (address) => {
    const [bad, good, alike] = [read(mint, address), read(mint, ada), read(mint, bob)];
    expect(mergeReads([bad, good, alike]).map(({ askers }) => askers)).toEqual([[bad], [good, alike]]);
  },
);

test('reads with other settings are not merged', () => {
  const other = { method: 'getMultipleAccounts', params: [[ada], { commitment: 'finalized' }] };
  expect(mergeReads([read(ada), other])).toHaveLength(2);
});
