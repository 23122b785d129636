import fc from 'fast-check';
import { hashTypedData } from 'viem';
import { expect, test } from 'vitest';
import { type ActivationMessage, activationDigest, activationTypedData } from './payout-activation.ts';
import type { Hex } from './typed-data.ts';

const address: fc.Arbitrary<Hex> = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((data): Hex => `0x${Buffer.from(data).toString('hex')}`);
const text = fc.string({ unit: 'grapheme' });
const uint256 = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map(String);
const message: fc.Arbitrary<ActivationMessage> = fc.record({
  installation: text,
  account: text,
  mode: text,
  network: text,
  token: address,
  wallet: address,
  use: text,
  number: uint256,
  replaces: address,
  signedAt: uint256,
});
const asHex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`;

test('an activation hashes as wallets hash it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), message, (chainId, given) => {
      const theirs = hashTypedData(
        activationTypedData(chainId, given) as unknown as Parameters<typeof hashTypedData>[0],
      );
      expect(asHex(activationDigest(chainId, given))).toBe(theirs);
    }),
    { numRuns: 500 },
  );
});

test('no two fields can be exchanged, and the chain counts', () => {
  const other = (given: ActivationMessage, name: keyof ActivationMessage): ActivationMessage => ({
    ...given,
    [name]: given[name].startsWith('0x')
      ? `0x${'9'.repeat(40)}`
      : name === 'number' || name === 'signedAt'
        ? '7'
        : 'other',
  });
  const given: ActivationMessage = {
    installation: 'i',
    account: 'a',
    mode: 'test',
    network: 'eip155:1',
    token: `0x${'1'.repeat(40)}`,
    wallet: `0x${'2'.repeat(40)}`,
    use: 'shared',
    number: '1',
    replaces: `0x${'0'.repeat(40)}`,
    signedAt: '2',
  };
  const changed = (Object.keys(given) as (keyof ActivationMessage)[]).map((name) => other(given, name));
  const digests = [given, ...changed].map((each) => asHex(activationDigest(1, each)));
  expect(new Set([...digests, asHex(activationDigest(2, given))]).size).toBe(Object.keys(given).length + 2);
});
