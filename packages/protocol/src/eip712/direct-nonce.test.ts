import fc from 'fast-check';
import { type Address, concat, encodeAbiParameters, keccak256, numberToHex, slice, stringToHex } from 'viem';
import { expect, test } from 'vitest';
import { type DirectNonceTerms, directNonce, readDirectNonce, readDirectTerms } from './direct-nonce.ts';

const address = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);
const terms = fc.record({
  installation: fc.uuid(),
  mode: fc.constantFrom('test' as const, 'live' as const),
  chainId: fc.nat(),
  token: address,
  wallet: address,
  amount: fc.bigInt(0n, 2n ** 256n - 1n).map(String),
  intentCode: fc.bigInt(0n, 2n ** 64n - 1n).map(String),
  attempt: fc.nat(65_535),
});

const VECTOR: DirectNonceTerms = {
  installation: '6f1d9a52-3c07-4f5e-9a41-8f3f2f0c7b11',
  mode: 'live',
  chainId: 8453,
  token: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  wallet: '0x3000000000000000000000000000000000000003',
  amount: '12500000',
  intentCode: '12345678901',
  attempt: 0,
};

test('known terms have a known nonce, for clients in other languages', () => {
  expect(directNonce(VECTOR)).toBe('0x737663646972000000000002dfdc1c35dff6bd1b0318a8b2bba27db7c4346f2f');
  expect(directNonce({ ...VECTOR, attempt: 1 })).toBe(
    '0x737663646972000100000002dfdc1c351d7669575d4998db2df9da59b6b98636',
  );
  expect(directNonce({ ...VECTOR, mode: 'test' })).toBe(
    '0x737663646972000000000002dfdc1c35e94bdef718176161ce8e0b11050011ef',
  );
});

test('the nonce is tag, attempt, intent code, and 16 bytes of a hash of the ABI-encoded terms', () => {
  const types = ['uint256', 'uint256', 'uint256', 'uint256', 'uint256', 'uint256', 'address', 'address'];
  fc.assert(
    fc.property(terms, (given) => {
      const { installation, mode, chainId, token, wallet, amount, intentCode, attempt } = given;
      const hash = keccak256(
        encodeAbiParameters(
          types.map((type) => ({ type })),
          [
            BigInt(`0x${installation.replaceAll('-', '')}`),
            mode === 'live' ? 1n : 0n,
            BigInt(chainId),
            BigInt(amount),
            BigInt(intentCode),
            BigInt(attempt),
            token as Address,
            wallet as Address,
          ],
        ),
      );
      const head = [stringToHex('svcdir'), numberToHex(attempt, { size: 2 })] as const;
      const expected = concat([...head, numberToHex(BigInt(intentCode), { size: 8 }), slice(hash, 0, 16)]);
      const read = readDirectTerms(given);
      expect(read && directNonce(read)).toBe(expected);
      expect(readDirectNonce(expected)).toEqual({ intentCode: BigInt(intentCode), attempt });
    }),
    { numRuns: 200 },
  );
});

test('every term changes the nonce', () => {
  const changes: Partial<DirectNonceTerms>[] = [
    { installation: '6f1d9a52-3c07-4f5e-9a41-8f3f2f0c7b12' },
    { mode: 'test' },
    { chainId: 1 },
    { token: VECTOR.wallet },
    { wallet: VECTOR.token },
    { amount: '12500001' },
    { intentCode: '12345678902' },
    { attempt: 1 },
  ];
  const nonces = changes.map((change) => directNonce({ ...VECTOR, ...change }));
  expect(new Set([directNonce(VECTOR), ...nonces]).size).toBe(changes.length + 1);
});

test('the letter case of addresses and of the installation does not matter', () => {
  const upper = (text: string) => `0x${text.slice(2).toUpperCase()}`;
  const other = {
    token: upper(VECTOR.token),
    wallet: upper(VECTOR.wallet),
    installation: VECTOR.installation.toUpperCase(),
  };
  expect(directNonce({ ...VECTOR, ...other })).toBe(directNonce(VECTOR));
});

test('a nonce without the tag, and text that is no nonce, name no intent', () => {
  const bound = directNonce(VECTOR);
  for (const nonce of [`0x${'01'.repeat(32)}`, bound.slice(0, -2), `${bound}00`, bound.replace('0x', '')]) {
    expect(readDirectNonce(nonce)).toBeUndefined();
  }
  expect(readDirectNonce(`0x${bound.slice(2).toUpperCase()}`)).toEqual({ intentCode: 12_345_678_901n, attempt: 0 });
});

test('terms that are not such terms are not read', () => {
  expect(readDirectTerms(VECTOR)).toEqual(VECTOR);
  for (const bad of [
    null,
    {},
    { ...VECTOR, installation: 'here' },
    { ...VECTOR, mode: 'real' },
    { ...VECTOR, amount: '-1' },
    { ...VECTOR, amount: (2n ** 256n).toString() },
    { ...VECTOR, intentCode: (2n ** 64n).toString() },
    { ...VECTOR, attempt: 65_536 },
    { ...VECTOR, wallet: '0x12' },
    { ...VECTOR, chainId: 1.5 },
  ]) {
    expect(readDirectTerms(bad)).toBeUndefined();
  }
});
