import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  ANONYMOUS_PRINCIPAL,
  accountText,
  isPrincipal,
  MANAGEMENT_CANISTER,
  ownerOf,
  parseAccount,
  principalBytes,
  principalText,
} from './account-text.ts';

const OWNER = 'k2t6j-2nvnp-4zjm3-25dtz-6xhaa-c7boj-5gayf-oj3xs-i43lp-teztq-6ae';
const ONE = Uint8Array.from({ length: 32 }, (_, index) => (index === 31 ? 1 : 0));
const COUNTED = Uint8Array.from({ length: 32 }, (_, index) => index + 1);

test('the texts of the ICRC-1 standard are read and written', () => {
  const owner = principalBytes(OWNER);
  if (owner === undefined) throw new Error('no principal');
  const texts = [
    [OWNER, null],
    [`${OWNER}-6cc627i.1`, ONE],
    [`${OWNER}-dfxgiyy.102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20`, COUNTED],
  ] as const;
  for (const [text, subaccount] of texts) {
    expect(accountText(owner, subaccount)).toBe(text);
    expect(parseAccount(text)).toEqual({ owner: OWNER, subaccount });
    expect(ownerOf(text)).toBe(OWNER);
  }
});

test('the known principals are what they are called', () => {
  expect(principalText(Uint8Array.of())).toBe(MANAGEMENT_CANISTER);
  expect(principalText(Uint8Array.of(4))).toBe(ANONYMOUS_PRINCIPAL);
});

test('a subaccount of zeros is the default one', () => {
  expect(accountText(Uint8Array.of(4), new Uint8Array(32))).toBe(ANONYMOUS_PRINCIPAL);
});

test.each([
  ['upper case', OWNER.toUpperCase()],
  ['no dashes', OWNER.replaceAll('-', '')],
  ['dashes elsewhere', OWNER.replace('k2t6j-2', 'k2t6-j2')],
  ['a wrong checksum', OWNER.replace('k2t6j', 'k2t6k')],
  ['a digit too many', `${OWNER}-6cc627i.01`],
  ['digits in upper case', `${OWNER}-dfxgiyy.102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F20`],
  ['the checksum of another subaccount', `${OWNER}-6cc627i.2`],
  ['the default subaccount written out', `${OWNER}-6cc627i.0`],
  ['no text', ''],
  ['a letter that is none', `${OWNER.slice(0, -1)}1`],
  ['much text', 'a'.repeat(10_000)],
])('another spelling is refused: %s', (_, text) => {
  expect(parseAccount(text)).toBeUndefined();
  expect(isPrincipal(text)).toBe(false);
});

test('every account has one text, which is read back', () => {
  const bytes = fc.uint8Array({ maxLength: 29 });
  const subaccounts = fc.option(fc.uint8Array({ minLength: 32, maxLength: 32 }), { nil: null });
  fc.assert(
    fc.property(bytes, subaccounts, (owner, subaccount) => {
      const text = accountText(owner, subaccount);
      const isDefault = subaccount === null || subaccount.every((byte) => byte === 0);
      expect(parseAccount(text)).toEqual({ owner: principalText(owner), subaccount: isDefault ? null : subaccount });
      expect(principalBytes(principalText(owner))).toEqual(owner);
    }),
  );
});

test('no letter of a text can be changed', () => {
  const text = `${OWNER}-6cc627i.1`;
  for (let at = 0; at < text.length; at += 1)
    for (const letter of 'a2-.9') {
      const other = text.slice(0, at) + letter + text.slice(at + 1);
      if (other !== text) expect(parseAccount(other)).toBeUndefined();
    }
});
