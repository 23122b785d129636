import fc from 'fast-check';
import { expect, test } from 'vitest';
import { blockName, readBlockName } from '../token/block-name.ts';
import { refusalOfBlock } from './notify-transfer.ts';
import type { TokenBlock } from './token-block.ts';
import { intentCodeIn, memoOfIntent, transferTimeNs } from './transfer-memo.ts';

const ledger = 'xevnm-gaaaa-aaaar-qafnq-cai';

test('the name of a block is read back, and no other text is one', () => {
  const name = { ledger, index: 12n };
  expect(blockName(name)).toBe(`${ledger}:12`);
  expect(readBlockName(`${ledger}:12`)).toEqual(name);
  expect(readBlockName(`${ledger}:9223372036854775807`)).toEqual({ ledger, index: 2n ** 63n - 1n });
  for (const other of [
    `${ledger}:012`,
    `${ledger}:-1`,
    `${ledger}:`,
    ledger,
    `0xabc:1`,
    `${ledger}:9223372036854775808`,
  ])
    expect(readBlockName(other)).toBeUndefined();
});

test('the memo of every intent fits a ledger and names that intent', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 53n - 1n }), (code) => {
      const memo = memoOfIntent(code);
      expect(memo.length).toBeLessThanOrEqual(32);
      expect(intentCodeIn(memo)).toBe(code);
    }),
  );
  expect(() => memoOfIntent(2n ** 53n)).toThrow('no intent code');
});

test.each(['', 'svc:', 'svc:01', 'svc:-1', 'svc:1 ', ' svc:1', 'SVC:1', 'svc:9007199254740992', 'svc:1\n', 'svc:٣'])(
  'a memo of another form names no intent: %j',
  (text) => {
    expect(intentCodeIn(new TextEncoder().encode(text))).toBeUndefined();
  },
);

test('no memo, and one of any bytes, names no intent', () => {
  expect(intentCodeIn(null)).toBeUndefined();
  expect(intentCodeIn(new Uint8Array(1_000))).toBeUndefined();
});

test('the time of a transfer is that of its intent in nanoseconds, and another after a part arrived', () => {
  expect(transferTimeNs(1_700_000_000_123, 0)).toBe(1_700_000_000_123_000_000n);
  expect(transferTimeNs(1_700_000_000_123, 3)).toBe(1_700_000_000_123_000_003n);
});

const paid = { intentCode: 7n, accounts: ['merchant'] };
const transfer = { from: 'payer', to: 'merchant', amountAtomic: 1n, memo: memoOfIntent(7n) };
const block = (change: Partial<TokenBlock>): TokenBlock => ({
  index: 1n,
  hash: new Uint8Array(32),
  parentHash: null,
  timestampNs: 1n,
  transfer,
  ...change,
});

test('a block pays the intent that its memo names, on an account of its own', () => {
  expect(refusalOfBlock(block({}), paid)).toBeUndefined();
  expect(refusalOfBlock(undefined, paid)).toBe('block_not_found');
  expect(refusalOfBlock(block({ transfer: null }), paid)).toBe('not_a_transfer');
  expect(refusalOfBlock(block({ transfer: { ...transfer, to: 'payer' } }), paid)).toBe('other_account');
  expect(refusalOfBlock(block({ transfer: { ...transfer, memo: memoOfIntent(8n) } }), paid)).toBe('other_memo');
  expect(refusalOfBlock(block({ transfer: { ...transfer, memo: null } }), paid)).toBe('other_memo');
});
