import fc from 'fast-check';
import { hashDomain, hashTypedData } from 'viem';
import { expect, test } from 'vitest';
import { digest, domainSeparator } from './hash.ts';
import { DOMAIN_FIELDS, type Eip712Domain, type Hex, type Signable, typedData } from './typed-data.ts';

const hex = (bytes: number): fc.Arbitrary<Hex> =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((data): Hex => `0x${Buffer.from(data).toString('hex')}`);
const uint256 = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map(String);
const domain: fc.Arbitrary<Eip712Domain> = fc.record({
  name: fc.string({ unit: 'grapheme' }),
  version: fc.string(),
  chainId: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  verifyingContract: hex(20),
});
const signable: fc.Arbitrary<Signable> = fc.oneof(
  fc.record({
    primaryType: fc.constantFrom('TransferWithAuthorization' as const, 'ReceiveWithAuthorization' as const),
    message: fc.record({
      from: hex(20),
      to: hex(20),
      value: uint256,
      validAfter: uint256,
      validBefore: uint256,
      nonce: hex(32),
    }),
  }),
  fc.record({
    primaryType: fc.constant('Permit' as const),
    message: fc.record({ owner: hex(20), spender: hex(20), value: uint256, nonce: uint256, deadline: uint256 }),
  }),
);
const asHex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`;

test('1,000 generated messages hash as an independent implementation hashes them', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(domain, signable, (ours, message) => {
      seen.add(message.primaryType);
      const data = typedData(ours, message);
      const separator = domainSeparator(ours);
      expect(asHex(separator)).toBe(
        hashDomain({ domain: { ...ours, chainId: BigInt(ours.chainId) }, types: { EIP712Domain: [...DOMAIN_FIELDS] } }),
      );
      expect(asHex(digest(separator, message))).toBe(
        hashTypedData(data as unknown as Parameters<typeof hashTypedData>[0]),
      );
    }),
    { numRuns: 1_000 },
  );
  expect([...seen].sort()).toEqual(['Permit', 'ReceiveWithAuthorization', 'TransferWithAuthorization']);
});

test('a value past 256 bits is a bug of the caller, not a wrapped number', () => {
  const separator = new Uint8Array(32);
  const message = {
    owner: `0x${'11'.repeat(20)}`,
    spender: `0x${'11'.repeat(20)}`,
    nonce: '0',
    deadline: '0',
  } as const;
  expect(() =>
    digest(separator, { primaryType: 'Permit', message: { ...message, value: String(2n ** 256n) } }),
  ).toThrow(RangeError);
  expect(() => digest(separator, { primaryType: 'Permit', message: { ...message, value: '-1' } })).toThrow(RangeError);
});
