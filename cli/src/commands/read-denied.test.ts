import { newId } from '@svc-pay/protocol/ids';
import { expect, test } from 'vitest';
import { readDenied } from './read-denied.ts';

const keyId = newId('key', 0);
const PRINCIPAL = 'k2t6j-2nvnp-4zjm3-25dtz-6xhaa-c7boj-5gayf-oj3xs-i43lp-teztq-6ae';

test.each([
  ['203.0.113.7', 'address', '203.0.113.7/32'],
  ['203.0.113.7/24', 'address', '203.0.113.0/24'],
  ['2001:db8::7', 'address', '2001:db8::/64'],
  ['00ff00ff00ff00ff', 'address_hash', '00ff00ff00ff00ff'],
  [`0x${'AB'.repeat(20)}`, 'payer', `0x${'ab'.repeat(20)}`],
  ['4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU', 'payer', '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU'],
  ['bkyz2-fmaaa-aaaaa-qaaaq-cai', 'payer', 'bkyz2-fmaaa-aaaaa-qaaaq-cai'],
  [PRINCIPAL, 'payer', PRINCIPAL],
  [`${PRINCIPAL}-6cc627i.1`, 'payer', PRINCIPAL],
  [keyId, 'key', keyId],
])('%s is %s %s', (text, kind, value) => {
  expect(readDenied(text)).toEqual({ ok: true, kind, value });
});

test.each([
  '',
  '0x12',
  'pk_live_abc',
  'sk_live_secret',
  '0.0.0.0/0',
  '::/8',
  'acct_1',
  'example.com',
  'k2t6j-2nvnp',
  PRINCIPAL.toUpperCase(),
  `${PRINCIPAL}-6cc627j.1`,
])('"%s" names nobody', (text) => {
  const read = readDenied(text);
  expect(read.ok).toBe(false);
  if (text.includes('secret') && !read.ok) expect(read.message).not.toContain('secret');
});
