import fc from 'fast-check';
import { type Address, concat, encodeAbiParameters, keccak256, numberToHex, slice, stringToHex } from 'viem';
import { expect, test } from 'vitest';
import { boundNonce, readBoundNonce, readBoundTerms } from './bound-nonce.ts';

const address = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);
const terms = fc.record({
  chainId: fc.nat(),
  processor: address,
  token: address,
  payoutId: fc.bigInt(0n, 2n ** 64n - 1n).map(String),
  merchant: address,
  feeBps: fc.nat(65_535),
  splits: fc.array(fc.record({ to: address, bps: fc.nat(65_535) }), { maxLength: 8 }),
  intentCode: fc.bigInt(0n, 2n ** 64n - 1n).map(String),
  attempt: fc.nat(65_535),
});

test('the nonce is the one the contract derives: tag, attempt, and a hash of the ABI-encoded terms', () => {
  const split = {
    type: 'tuple[]',
    components: ['address', 'uint16'].map((type, i) => ({ type, name: ['to', 'bps'][i] })),
  };
  const types = ['uint256', 'address', 'address', 'uint64', 'address', 'uint16'].map((type) => ({ type }));
  fc.assert(
    fc.property(terms, (given) => {
      const { chainId, processor, token, payoutId, merchant, feeBps, splits, intentCode, attempt } = given;
      const hash = keccak256(
        encodeAbiParameters(
          [...types, split],
          [
            BigInt(chainId),
            processor as Address,
            token as Address,
            BigInt(payoutId),
            merchant as Address,
            feeBps,
            splits,
          ],
        ),
      );
      const commitment = keccak256(
        encodeAbiParameters(
          [{ type: 'bytes32' }, { type: 'uint64' }, { type: 'uint16' }],
          [hash, BigInt(intentCode), attempt],
        ),
      );
      const expected = concat([stringToHex('svcpay'), numberToHex(attempt, { size: 2 }), slice(commitment, 0, 24)]);
      const read = readBoundTerms(given);
      expect(read && boundNonce(read)).toBe(expected);
      expect(readBoundNonce(expected)).toEqual({ attempt });
    }),
    { numRuns: 200 },
  );
});

test('every term changes the commitment', () => {
  const terms = {
    chainId: 8453,
    processor: '0x1000000000000000000000000000000000000001',
    token: '0x2000000000000000000000000000000000000002',
    payoutId: 7,
    merchant: '0x3000000000000000000000000000000000000003',
    feeBps: 50,
    splits: [{ to: '0x4000000000000000000000000000000000000004', bps: 100 }],
    intentCode: 12,
    attempt: 0x1234,
  };
  const changes: Partial<typeof terms>[] = [
    { chainId: 1 },
    { processor: terms.token },
    { token: terms.processor },
    { payoutId: 8 },
    { merchant: terms.token },
    { feeBps: 51 },
    { splits: [] },
    { intentCode: 13 },
    { attempt: 0x1235 },
  ];
  const nonces = changes.map((change) => boundNonce({ ...terms, ...change }));
  expect(boundNonce(terms)).toMatch(new RegExp(`^${stringToHex('svcpay')}1234[0-9a-f]{48}$`));
  expect(new Set([boundNonce(terms), ...nonces]).size).toBe(changes.length + 1);
});

test('a nonce without the tag names no attempt', () => {
  for (const nonce of [`0x${'01'.repeat(32)}`, stringToHex('svcpay'), ''])
    expect(readBoundNonce(nonce)).toBeUndefined();
});

test('terms that are not such terms are not read', () => {
  const good = fc.sample(terms, 1)[0]!;
  expect(readBoundTerms(good)).toBeDefined();
  for (const bad of [
    null,
    {},
    { ...good, feeBps: 65_536 },
    { ...good, payoutId: '-1' },
    { ...good, intentCode: (2n ** 64n).toString() },
    { ...good, merchant: '0x12' },
    { ...good, chainId: 1.5 },
    { ...good, splits: Array.from({ length: 9 }, () => ({ to: good.token, bps: 1 })) },
  ]) {
    expect(readBoundTerms(bad)).toBeUndefined();
  }
});
