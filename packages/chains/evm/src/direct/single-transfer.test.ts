import type { LaneItem } from '@svc-pay/core';
import { sampleActivation } from '@svc-pay/core/testing';
import { newId } from '@svc-pay/protocol/ids';
import { type Hex, padHex, size } from 'viem';
import { describe, expect, test } from 'vitest';
import { isRefundCall, readSingleTransfer, singleTransferData } from './single-transfer.ts';

const R = '11'.repeat(32);
const S = '22'.repeat(32);
const item = (change: Partial<LaneItem> = {}): LaneItem => ({
  accountId: 'acct_1' as LaneItem['accountId'],
  mode: 'test',
  paymentId: 'pay_1' as LaneItem['paymentId'],
  intentId: 'pi_1' as LaneItem['intentId'],
  intentCode: 0xfedcba9876543210n,
  number: 1n,
  asset: padHex('0xa1', { size: 20 }),
  processor: padHex('0xb1', { size: 20 }),
  kind: 'transfer_with_authorization',
  byContract: false,
  payer: padHex('0xc1', { size: 20 }),
  capAtomic: 1_000n,
  settledAtomic: 1_000n,
  validAfterSeconds: 5n,
  validBeforeSeconds: 100n,
  nonce: padHex('0x9'),
  signature: `0x${R}${S}01`,
  confirmations: 1,
  payout: { id: 3n, merchant: padHex('0xb1', { size: 20 }), feeBps: 0, splits: [], direct: sampleActivation() },
  ...change,
});

test('intent code and payout id are the 16 bytes behind the arguments', () => {
  const data = singleTransferData(item());
  expect(size(data)).toBe(4 + 9 * 32 + 16);
  expect(data.slice(0, 10)).toBe('0xe3ee160e');
  expect(data.slice(-32)).toBe('fedcba98765432100000000000000003');
});

describe('a call is read back as it was made', () => {
  const { payer, nonce, capAtomic, validAfterSeconds, validBeforeSeconds, intentCode } = item();
  const told = { payer, nonce, capAtomic, validAfterSeconds, validBeforeSeconds, intentCode };
  const expected = { ...told, wallet: item().processor, payoutId: 3n };
  test('of a key, with its signature in the token’s form', () => {
    const read = readSingleTransfer(singleTransferData(item()));
    expect(read).toEqual({ ...expected, byContract: false, signature: `0x${R}${S}1c` });
  });
  test.each([`0x${R}${S}01`, '0xabcdef', `0x${'ab'.repeat(200)}`])(
    'of a contract wallet, byte for byte (%#)',
    (signature) => {
      const read = readSingleTransfer(singleTransferData(item({ byContract: true, signature })));
      expect(read).toEqual({ ...expected, byContract: true, signature });
    },
  );
});

test('a refund has nothing behind its arguments, and is read as no payment', () => {
  const nonce = `0x737663726566${'01'.repeat(26)}`;
  const data = singleTransferData(item({ nonce, refund: { id: newId('refund', 1) } }));
  expect([size(data), isRefundCall(data), readSingleTransfer(data)]).toEqual([4 + 9 * 32, true, undefined]);
  expect(isRefundCall(`${data}00`)).toBe(false);
  expect(isRefundCall(singleTransferData(item({ nonce })))).toBe(false);
  expect(isRefundCall(singleTransferData(item({ refund: { id: newId('refund', 1) } })))).toBe(false);
});

describe('nothing is read from', () => {
  const data = singleTransferData(item());
  test.each<[string, Hex]>([
    ['a transfer without the 16 bytes', data.slice(0, -32) as Hex],
    ['fewer bytes', data.slice(0, -2) as Hex],
    ['more bytes', `${data}00`],
    ['another call', `0xa9059cbb${data.slice(10)}`],
    ['nothing', '0x'],
  ])('%s', (_, given) => {
    expect(readSingleTransfer(given)).toBeUndefined();
  });
});
