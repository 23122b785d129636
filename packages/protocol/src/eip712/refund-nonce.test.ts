import fc from 'fast-check';
import { type Address, concat, encodeAbiParameters, keccak256, numberToHex, slice, stringToHex } from 'viem';
import { expect, test } from 'vitest';
import { evmNetwork } from '../network/network.ts';
import { type RefundNonceTerms, readRefundNonce, readRefundTerms, refundNonce } from './refund-nonce.ts';

const VECTOR: RefundNonceTerms = {
  installation: '6f1d9a52-3c07-4f5e-9a41-8f3f2f0c7b11',
  mode: 'live',
  network: evmNetwork(8_453),
  token: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  wallet: '0x3000000000000000000000000000000000000003',
  paymentId: 'pay_01k9z3v5w8q2r4s6t7x0y1abcd',
  sequence: 1,
};

const address = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);
const terms = fc.record({
  installation: fc.uuid(),
  mode: fc.constantFrom('test' as const, 'live' as const),
  chainId: fc.integer({ min: 1, max: 2 ** 31 }),
  token: address,
  wallet: address,
  paymentId: fc.stringMatching(/^pay_[0-9a-z]{26}$/),
  sequence: fc.integer({ min: 1, max: 65_535 }),
});

test('known terms have a known nonce, for clients in other languages', () => {
  expect(refundNonce(VECTOR)).toBe('0x737663726566000125058a102d5bbbf9cbd0118163e558e08be2eee1b4984b67');
  expect(refundNonce({ ...VECTOR, sequence: 2 })).toBe(
    '0x7376637265660002f372ff7a22d7b7ef2844fa4b57dd6a645d0665886e1f4147',
  );
});

test('the nonce is tag, sequence, and 24 bytes of a hash of the ABI-encoded terms', () => {
  const types = ['uint256', 'uint256', 'uint256', 'address', 'address', 'bytes32', 'uint256'];
  fc.assert(
    fc.property(terms, ({ chainId, ...rest }) => {
      const given = { ...rest, network: evmNetwork(chainId) };
      const { installation, mode, token, wallet, paymentId, sequence } = given;
      const hash = keccak256(
        encodeAbiParameters(
          types.map((type) => ({ type })),
          [
            BigInt(`0x${installation.replaceAll('-', '')}`),
            mode === 'live' ? 1n : 0n,
            BigInt(chainId),
            token as Address,
            wallet as Address,
            keccak256(stringToHex(paymentId)),
            BigInt(sequence),
          ],
        ),
      );
      const expected = concat([stringToHex('svcref'), numberToHex(sequence, { size: 2 }), slice(hash, 0, 24)]);
      const read = readRefundTerms(given);
      expect(read && refundNonce(read)).toBe(expected);
      expect(readRefundNonce(expected)).toEqual({ sequence });
    }),
    { numRuns: 200 },
  );
});

test('every term changes the nonce', () => {
  const changes: Partial<RefundNonceTerms>[] = [
    { installation: '6f1d9a52-3c07-4f5e-9a41-8f3f2f0c7b12' },
    { mode: 'test' },
    { network: evmNetwork(1) },
    { token: VECTOR.wallet },
    { wallet: VECTOR.token },
    { paymentId: 'pay_01k9z3v5w8q2r4s6t7x0y1abce' },
    { sequence: 2 },
  ];
  const nonces = changes.map((change) => refundNonce({ ...VECTOR, ...change }));
  expect(new Set([refundNonce(VECTOR), ...nonces]).size).toBe(changes.length + 1);
});

test('a nonce of a payment, and text that is no nonce, name no refund', () => {
  const nonce = refundNonce(VECTOR);
  for (const other of [
    `0x${'01'.repeat(32)}`,
    nonce.slice(0, -2),
    `${nonce}00`,
    nonce.replace('737663726566', '737663646972'),
  ])
    expect(readRefundNonce(other)).toBeUndefined();
  expect(readRefundNonce(`0x${nonce.slice(2).toUpperCase()}`)).toEqual({ sequence: 1 });
});

test.each([
  { sequence: 0 },
  { sequence: 65_536 },
  { network: '8453' },
  { paymentId: 'pi_1' },
  { wallet: '0x12' },
  { mode: 'real' },
])('terms with %o are not read', (change) => {
  expect(readRefundTerms({ ...VECTOR, ...change })).toBeUndefined();
});

test('on Solana the same terms give a nonce of their own for every network, mint and wallet', () => {
  const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
  const wallet = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
  const on = { ...VECTOR, network: 'solana:mainnet', token: mint, wallet } as const;
  const others = [on, { ...on, network: 'solana:devnet' }, { ...on, token: wallet }, { ...on, wallet: mint }] as const;
  expect(new Set(others.map((terms) => refundNonce(terms as RefundNonceTerms))).size).toBe(others.length);
});
