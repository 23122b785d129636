import fc from 'fast-check';
import { type Hex, numberToHex } from 'viem';
import { expect, test } from 'vitest';
import { type BatchPayment, packBatchItem, readItemCodes, unpackBatchItem } from './batch-item.ts';

const payment: BatchPayment = {
  kind: 'transfer',
  payer: '0x00000000000000000000000000000000000000aa',
  intentCode: 7n,
  capAtomic: 10n,
  settledAtomic: 4n,
  validAfterSeconds: 1n,
  validBeforeSeconds: 2n,
  nonce: `0x${'11'.repeat(32)}`,
  signature: `0x${'22'.repeat(32)}${'33'.repeat(32)}1b`,
};

test('every field comes back from the words it was packed into', () => {
  const uint64 = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n });
  const uint128 = fc.bigInt({ min: 0n, max: (1n << 128n) - 1n });
  fc.assert(
    fc.property(
      uint64,
      uint64,
      uint64,
      uint128,
      uint128,
      fc.boolean(),
      (code, after, before, cap, settled, receive) => {
        const item = packBatchItem({
          ...payment,
          kind: receive ? 'receive' : 'transfer',
          intentCode: code,
          validAfterSeconds: after,
          validBeforeSeconds: before,
          capAtomic: cap,
          settledAtomic: settled,
        });
        expect(item.head >> 96n).toBe(0xaan);
        expect((item.head >> 32n) & ((1n << 64n) - 1n)).toBe(code);
        expect((item.head >> 8n) & 0xffffffn).toBe(receive ? 1n : 0n);
        expect(item.head & 0xffn).toBe(27n);
        expect([item.amounts >> 128n, item.amounts & ((1n << 128n) - 1n)]).toEqual([cap, settled]);
        expect([item.window >> 64n, item.window & ((1n << 64n) - 1n)]).toEqual([after, before]);
      },
    ),
  );
});

test('r and s are the halves of the signature', () => {
  const { r, s } = packBatchItem(payment);
  expect([r, s]).toEqual([`0x${'22'.repeat(32)}`, `0x${'33'.repeat(32)}`]);
});

test('what does not fit is refused, never cut', () => {
  expect(() => packBatchItem({ ...payment, intentCode: 1n << 64n })).toThrow(RangeError);
  expect(() => packBatchItem({ ...payment, validBeforeSeconds: 1n << 64n })).toThrow(RangeError);
  expect(() => packBatchItem({ ...payment, capAtomic: 1n << 128n })).toThrow(RangeError);
  expect(() => packBatchItem({ ...payment, settledAtomic: -1n })).toThrow(RangeError);
  expect(() => packBatchItem({ ...payment, signature: '0x1234' })).toThrow(RangeError);
});

test('codes are read in order and an unknown one is an error', () => {
  expect(readItemCodes('0x000b0a')).toEqual(['settled', 'nothing_arrived', 'pull_refused']);
  expect(readItemCodes('0x')).toEqual([]);
  expect(() => readItemCodes('0x0c')).toThrow(RangeError);
});

const bits = (count: bigint) => fc.bigInt({ min: 0n, max: (1n << count) - 1n });
const hex = (bytes: number) => bits(BigInt(bytes) * 8n).map((value): Hex => numberToHex(value, { size: bytes }));

const anyPayment: fc.Arbitrary<BatchPayment> = fc.record({
  kind: fc.constantFrom('transfer', 'receive'),
  payer: hex(20),
  intentCode: bits(64n),
  capAtomic: bits(128n),
  settledAtomic: bits(128n),
  validAfterSeconds: bits(64n),
  validBeforeSeconds: bits(64n),
  nonce: hex(32),
  signature: fc.tuple(hex(64), fc.constantFrom('1b', '1c')).map(([rs, v]): Hex => `${rs}${v}`),
});

test('whatever was packed for a batch is read back as it was', () => {
  fc.assert(
    fc.property(anyPayment, (given) => {
      expect(unpackBatchItem(packBatchItem(given))).toEqual(given);
    }),
  );
});
