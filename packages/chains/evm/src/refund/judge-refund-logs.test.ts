import type { OpenRefund } from '@svc-pay/core';
import { describe, expect, test } from 'vitest';
import { AUTHORIZATION_CANCELED, AUTHORIZATION_USED, TRANSFER, wordOf } from '../prove/settlement-logs.ts';
import type { LaneLog, Receipt } from '../rpc/read-receipt.ts';
import type { SignedRefund } from './find-refund-outcomes.ts';
import { judgeReported, judgeUse } from './judge-refund-logs.ts';

const [TOKEN, WALLET, PAYER, OTHER] = ['7', 'a', 'b', 'c'].map((digit) => `0x${digit.repeat(40)}`) as [
  string,
  string,
  string,
  string,
];
const NONCE = `0x737663726566${'01'.repeat(26)}`;
const REFUND = {
  kind: 'authorization',
  asset: TOKEN,
  wallet: WALLET,
  recipient: PAYER,
  amountAtomic: 5n,
  nonce: NONCE,
  signature: '0x00',
  wallets: [WALLET],
  reported: null,
} as unknown as SignedRefund;
const REPORTED = {
  ...REFUND,
  kind: 'reported',
  nonce: null,
  reported: { transactionId: '0xaa', logIndex: null },
} as unknown as OpenRefund;

const used = (nonce = NONCE): Omit<LaneLog, 'logIndex'> => ({
  address: TOKEN,
  topics: [AUTHORIZATION_USED, wordOf(WALLET), wordOf(nonce)],
  data: '0x',
});
const canceled = { ...used(), topics: [AUTHORIZATION_CANCELED, wordOf(WALLET), wordOf(NONCE)] };
const moved = (to = PAYER, amount = 5n, from = WALLET): Omit<LaneLog, 'logIndex'> => ({
  address: TOKEN,
  topics: [TRANSFER, wordOf(from), wordOf(to)],
  data: wordOf(amount),
});
const receipt = (logs: readonly Omit<LaneLog, 'logIndex'>[], change: Partial<Receipt> = {}): Receipt => ({
  transactionId: '0xaa',
  from: OTHER,
  blockNumber: 20n,
  blockHash: '0xb',
  reverted: false,
  gasCostAtomic: 1n,
  logs: logs.map((log, logIndex) => ({ ...log, logIndex })),
  ...change,
});
const paid = 10n;

describe('the use of a refund’s nonce', () => {
  test('followed by its transfer is the refund', () => {
    expect(judgeUse(REFUND, receipt([moved(OTHER), used(), moved()]))).toMatchObject({
      outcome: 'transferred',
      logIndex: 2,
      wallet: WALLET,
      recipient: PAYER,
      amountAtomic: 5n,
      blockNumber: 20n,
    });
  });

  test.each([
    ['the wallet canceled it', [canceled]],
    ['the nonce moved money to somebody else', [used(), moved(OTHER)]],
    ['the nonce moved nothing', [used()]],
  ])('is void where %s', (_, logs) => {
    expect(judgeUse(REFUND, receipt(logs))).toEqual({ outcome: 'void', reason: 'canceled' });
  });

  test('is the refund with the amount of its log where the wallet had signed another one too', () => {
    expect(judgeUse(REFUND, receipt([used(), moved(PAYER, 4n)]))).toMatchObject({
      outcome: 'transferred',
      amountAtomic: 4n,
    });
  });

  test('concludes nothing where the transfer stands elsewhere in the receipt', () => {
    expect(judgeUse(REFUND, receipt([moved(), used(), moved(OTHER, 1n)]))).toEqual({ outcome: 'open' });
  });

  test('of a refund that the database lost is whatever it moved to the recipient, and void where it moved elsewhere', () => {
    const lost = { ...REFUND, signature: null, amountAtomic: null };
    expect(judgeUse(lost, receipt([used(), moved(PAYER, 3n)]))).toMatchObject({ recipient: PAYER, amountAtomic: 3n });
    for (const logs of [[canceled], [used(), moved(OTHER, 3n)], [used(), moved(OTHER, 3n), moved(PAYER, 1n)]])
      expect(judgeUse(lost, receipt(logs))).toEqual({ outcome: 'void', reason: 'canceled' });
  });
});

describe('a reported transfer', () => {
  test('counts as a plain transfer from the merchant to the payer, later than the payment', () => {
    expect(judgeReported(REPORTED, receipt([moved(OTHER), moved()]), paid)).toMatchObject({
      logIndex: 1,
      amountAtomic: 5n,
    });
  });

  test.each([
    ['to somebody else', [moved(OTHER)]],
    ['from a wallet that is not the merchant’s', [moved(PAYER, 5n, OTHER)]],
    ['of nothing', [moved(PAYER, 0n)]],
    ['of another token', [{ ...moved(), address: OTHER }]],
    ['that an authorization made: a signed refund, or a direct payment', [used(`0x${'09'.repeat(32)}`), moved()]],
  ])('does not count %s', (_, logs) => {
    expect(judgeReported(REPORTED, receipt(logs), paid)).toEqual({ outcome: 'void', reason: 'no_transfer' });
  });

  test('does not count before the payment, and waits while the payment’s block is not known', () => {
    const early = receipt([moved()], { blockNumber: 10n });
    expect(judgeReported(REPORTED, early, paid)).toEqual({ outcome: 'void', reason: 'no_transfer' });
    expect(judgeReported(REPORTED, receipt([moved()]), undefined)).toEqual({ outcome: 'open' });
  });

  test('is ambiguous where two fit, unless the merchant names one', () => {
    const two = receipt([moved(), moved()]);
    expect(judgeReported(REPORTED, two, paid)).toEqual({ outcome: 'void', reason: 'ambiguous' });
    const named = { ...REPORTED, reported: { transactionId: '0xaa', logIndex: 1 } };
    expect(judgeReported(named, two, paid)).toMatchObject({ outcome: 'transferred', logIndex: 1 });
  });

  test('of a reverted transaction is none', () => {
    expect(judgeReported(REPORTED, receipt([], { reverted: true }), paid)).toEqual({
      outcome: 'void',
      reason: 'reverted',
    });
  });
});
