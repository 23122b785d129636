import { newId } from '@svc-pay/protocol/ids';
import { expect, test } from 'vitest';
import { readSearch } from './search.ts';

test.each([
  ['paymentIntent', 'intent'],
  ['payment', 'payment'],
  ['refund', 'refund'],
  ['event', 'event'],
  ['endpoint', 'endpoint'],
] as const)('the id of a %s is known by its prefix', (kind, is) => {
  const id = newId(kind, 1_790_000_000_000);
  expect(readSearch(`  ${id}\n`)).toEqual({ is, id });
});

test.each([
  ['transactionId', `0x${'Ab'.repeat(32)}`],
  ['transactionId', '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW'],
  ['transactionId', 'ryjl3-tyaaa-aaaaa-aaaba-cai:1234567'],
  ['payer', '0x52908400098527886E0F7030069857D2E4169EE7'],
  ['payer', '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin'],
  ['payer', '2vxsx-fae'],
  ['payer', 'k2t6j-2nvnp-4zjm3-25dtz-6xhaa-c7boj-5gayf-oj3xs-i43lp-teztq-6ae'],
  ['metadata', 'order:10-42'],
] as const)('%s: %s', (name, value) => {
  expect(readSearch(value)).toEqual({ is: 'filter', name, value });
});

test.each(['', 'tea', 'pi_short', '0x12', 'acct_01jc0000000000000000000000', 'x'.repeat(10_000)])(
  '“%s” is nothing that can be found',
  (typed) => {
    expect(readSearch(typed)).toEqual({ is: 'nothing' });
  },
);
