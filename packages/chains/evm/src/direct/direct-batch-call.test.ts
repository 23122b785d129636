import fc from 'fast-check';
import { type Address, encodeAbiParameters, encodeEventTopics, type Hex, size } from 'viem';
import { expect, test } from 'vitest';
import { directBatchAbi } from '../generated/direct-batch-abi.ts';
import { DIRECT_BATCH_ADDRESS } from './direct-batch-address.ts';
import {
  type DirectBatchItem,
  fitsDirectBatch,
  packDirectBatch,
  readDirectOutcomes,
  readDirectRefusals,
  unpackDirectBatch,
} from './direct-batch-call.ts';

const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((array): Hex => `0x${Buffer.from(array).toString('hex')}`);
const uint = (bits: bigint) => fc.bigInt({ min: 0n, max: (1n << bits) - 1n });
const keySignature = fc
  .record({ r: hex(32), s: uint(255n), v: fc.constantFrom('1b', '1c') })
  .map(({ r, s, v }) => `${r}${s.toString(16).padStart(64, '0')}${v}` as Hex);
const walletSignature = fc.integer({ min: 1, max: 400 }).chain(hex);

const anyItem: fc.Arbitrary<DirectBatchItem> = fc.boolean().chain((byContract) =>
  fc.record({
    payer: hex(20),
    valueAtomic: uint(96n),
    validAfterSeconds: uint(40n),
    validBeforeSeconds: uint(40n),
    nonce: hex(32),
    intentCode: uint(64n),
    byContract: fc.constant(byContract),
    signature: byContract ? walletSignature : keySignature,
  }),
);
const anyGroup = fc.record({
  wallet: hex(20),
  payoutId: uint(64n),
  items: fc.array(anyItem, { minLength: 1, maxLength: 5 }),
});
const anyCall = fc.record({
  token: hex(20),
  callGas: uint(32n),
  groups: fc.array(anyGroup, { minLength: 1, maxLength: 4 }),
});

const item: DirectBatchItem = {
  payer: `0x${'aa'.repeat(20)}`,
  valueAtomic: 1_000_000n,
  validAfterSeconds: 1_799_000_000n,
  validBeforeSeconds: 1_800_000_000n,
  nonce: `0x${'11'.repeat(32)}`,
  intentCode: 7n,
  byContract: false,
  signature: `0x${'22'.repeat(32)}${'33'.repeat(32)}1c`,
};
const token: Address = `0x${'cc'.repeat(20)}`;
const wallet: Address = `0x${'bb'.repeat(20)}`;

test('every batch comes back from its calldata, field by field', () => {
  fc.assert(
    fc.property(anyCall, (call) => {
      expect(unpackDirectBatch(packDirectBatch(call))).toEqual(call);
    }),
  );
});

test('an item of a key has 148 bytes, and its wallet and payout are written once per group', () => {
  const bytesOf = (count: number) => {
    const items = Array.from({ length: count }, () => item);
    const data = packDirectBatch({ token, callGas: 200_000n, groups: [{ wallet, payoutId: 9n, items }] });
    return unpackedSize(data);
  };
  expect([bytesOf(1), bytesOf(2), bytesOf(100)]).toEqual([178, 326, 14_830]);
});

/** The length of `groups`: the word behind selector, token, gas and offset. */
const unpackedSize = (data: Hex) => Number(`0x${data.slice(10 + 3 * 64, 10 + 4 * 64)}`);

test('what does not fit is refused, never cut', () => {
  const misfits: Partial<DirectBatchItem>[] = [
    { valueAtomic: 1n << 96n },
    { valueAtomic: -1n },
    { validAfterSeconds: 1n << 40n },
    { validBeforeSeconds: 1n << 40n },
    { intentCode: 1n << 64n },
    { nonce: '0x11' },
    { signature: '0x1234' },
    { signature: `0x${'22'.repeat(32)}${'33'.repeat(32)}00` },
    { signature: `0x${'22'.repeat(32)}${'f3'.repeat(32)}1b` },
    { byContract: true, signature: '0x' },
    { byContract: true, signature: `0x${'00'.repeat(65_536)}` },
  ];
  expect(fitsDirectBatch(item)).toBe(true);
  for (const misfit of misfits) {
    const items = [{ ...item, ...misfit }];
    expect(fitsDirectBatch(items[0]!)).toBe(false);
    expect(() => packDirectBatch({ token, callGas: 1n, groups: [{ wallet, payoutId: 1n, items }] })).toThrow(
      RangeError,
    );
  }
});

test('calldata that ends within a group, or is of another call, is no batch', () => {
  const data = packDirectBatch({ token, callGas: 1n, groups: [{ wallet, payoutId: 1n, items: [item] }] });
  const packed = data.slice(10 + 4 * 64, 10 + 4 * 64 + 2 * 178);
  const cut = (bytes: number) => {
    const groups = packed.slice(0, 2 * bytes);
    const length = bytes.toString(16).padStart(64, '0');
    return `${data.slice(0, 10 + 3 * 64)}${length}${groups.padEnd(2 * 192, '0')}` as Hex;
  };
  expect(size(cut(178))).toBe(size(data));
  expect(unpackDirectBatch(cut(178))).toBeDefined();
  for (const bytes of [1, 29, 30, 113, 114, 115, 177]) expect(unpackDirectBatch(cut(bytes))).toBeUndefined();
  expect(unpackDirectBatch('0x')).toBeUndefined();
  expect(unpackDirectBatch(`0x12345678${data.slice(10)}`)).toBeUndefined();
});

test('answers and logs of the contract name outcomes of core, and logs of other contracts are passed over', () => {
  expect(readDirectOutcomes(encodeAbiParameters([{ type: 'bytes' }], ['0x000405070809']))).toEqual([
    'settled',
    'not_yet_valid',
    'expired',
    'malformed',
    'authorization_used',
    'insufficient_funds',
  ]);
  const log = {
    address: DIRECT_BATCH_ADDRESS.toLowerCase(),
    topics: encodeEventTopics({ abi: directBatchAbi, eventName: 'ItemRefused' }) as string[],
    data: encodeAbiParameters([{ type: 'uint256' }, { type: 'uint8' }], [3n, 10]),
  };
  expect(readDirectRefusals([{ ...log, address: token }, log])).toEqual(new Map([[3, 'pull_refused']]));
});
