import { TOKENS, type VerifiedTerms } from '@svc-pay/core';
import type { Authorization } from '@svc-pay/protocol';
import { expect, test } from 'vitest';
import { uniquePartOf } from './unique-part.ts';

const authorization: Authorization = {
  from: `0x${'aa'.repeat(20)}`,
  to: `0x${'9c'.repeat(20)}`,
  value: '1500000',
  validAfter: '1',
  validBefore: '2000000000',
  nonce: `0x${'00'.repeat(31)}01`,
};
const partOf = (shortcode: string, change: Partial<Authorization> = {}) => {
  const token = TOKENS.find((known) => known.shortcode === shortcode);
  const header = { payload: { authorization: { ...authorization, ...change }, signature: '0x' } };
  return uniquePartOf({ header, acceptance: { token } } as unknown as VerifiedTerms);
};

test('of an EIP-3009 authorization it is the nonce, whatever else was signed', () => {
  expect(partOf('anvil_usdc')).toBe(authorization.nonce);
  expect(partOf('anvil_usdc', { validBefore: '2000000001' })).toBe(authorization.nonce);
});

test('of a permit it is what was signed: one nonce may be signed for several spenders, amounts and deadlines', () => {
  const part = partOf('anvil_vol');
  expect(part).toMatch(/^0x[0-9a-f]{64}$/);
  expect(partOf('anvil_vol')).toBe(part);
  for (const change of [{ value: '1' }, { validBefore: '2000000001' }, { to: authorization.from }]) {
    expect(partOf('anvil_vol', change)).not.toBe(part);
  }
  // A permit has no `validAfter`: the header's value was not signed.
  expect(partOf('anvil_vol', { validAfter: '7' })).toBe(part);
});
