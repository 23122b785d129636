import fc from 'fast-check';
import { type Hex, numberToHex } from 'viem';
import { expect, test } from 'vitest';
import { type BatchPayment, packBatchItem } from './batch-item.ts';
import { unpackBatchItem } from './unpack-batch-item.ts';

const bits = (count: bigint) => fc.bigInt({ min: 0n, max: (1n << count) - 1n });
const hex = (bytes: number) => bits(BigInt(bytes) * 8n).map((value): Hex => numberToHex(value, { size: bytes }));

const payment: fc.Arbitrary<BatchPayment> = fc.record({
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
    fc.property(payment, (given) => {
      expect(unpackBatchItem(packBatchItem(given))).toEqual(given);
    }),
  );
});
