import { evmNetwork } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import { refundNonce } from '@svc-pay/protocol/refund-nonce';
import { describe, expect, test } from 'vitest';
import { decideRefund } from './decide-refund.ts';
import type { RefundOutcome, VoidRefund } from './refund-chain.ts';

const [WALLET, PAYER, OTHER, SECOND] = ['a', 'b', 'c', 'd'].map((digit) => `0x${digit.repeat(40)}`) as [
  string,
  string,
  string,
  string,
];
const TERMS = {
  installation: '7f2c3d5e-1111-4222-8333-944455566677',
  mode: 'test',
  network: evmNetwork(84_532),
  token: `0x${'7'.repeat(40)}`,
  wallet: WALLET,
  paymentId: newId('payment', 1_790_000_000_000),
  sequence: 1,
} as const;
const { token: asset, ...owner } = TERMS;
type StoredRefund = Parameters<typeof decideRefund>[0];
const signed: StoredRefund = {
  ...owner,
  asset,
  kind: 'authorization',
  amountAtomic: 5n,
  recipient: PAYER,
  signature: '0x00',
  nonce: refundNonce(TERMS),
  wallets: [WALLET, SECOND],
  payment: { payer: PAYER },
};
const reported: StoredRefund = {
  ...signed,
  kind: 'reported',
  nonce: null,
  sequence: null,
  signature: null,
  amountAtomic: null,
};
const transferred = (change: object = {}): RefundOutcome => ({
  outcome: 'transferred',
  transactionId: '0xaa',
  logIndex: 3,
  wallet: WALLET,
  recipient: PAYER,
  amountAtomic: 5n,
  blockNumber: 9n,
  ...change,
});

describe('a signed refund', () => {
  test('is completed by its own transfer, with the recipient as the refund spells it', () => {
    const spelled = { ...signed, recipient: `0x${'B'.repeat(40)}` };
    expect(decideRefund(spelled, transferred())).toMatchObject({
      action: 'complete',
      evidence: { transactionId: '0xaa', logIndex: 3, amountAtomic: 5n, recipient: spelled.recipient },
    });
  });

  test.each([
    ['to somebody else', { recipient: OTHER }],
    ['from another wallet', { wallet: OTHER }],
  ])('is not decided by a transfer %s', (_, change) => {
    expect(decideRefund(signed, transferred(change))).toEqual({ action: 'wait' });
  });

  test('counts with the amount that moved under its nonce; one of Solana has its own amount alone', () => {
    const other = transferred({ amountAtomic: 4n });
    expect(decideRefund(signed, other)).toMatchObject({ action: 'complete', evidence: { amountAtomic: 4n } });
    expect(decideRefund({ ...signed, kind: 'transaction' }, other)).toEqual({ action: 'wait' });
  });

  test('whose nonce is not that of its terms is no refund, whatever the chain shows', () => {
    for (const forged of [{ paymentId: newId('payment', 1) }, { nonce: `0x${'00'.repeat(32)}` }, { sequence: 2 }])
      expect(decideRefund({ ...signed, ...forged }, transferred())).toMatchObject({ action: 'fail' });
  });

  test('that the database lost has the amount of its log, and fails where the log pays somebody else', () => {
    const lost = { ...signed, signature: null, amountAtomic: null };
    expect(decideRefund(lost, transferred({ amountAtomic: 2n }))).toMatchObject({
      action: 'complete',
      evidence: { recipient: PAYER, amountAtomic: 2n },
    });
    const elsewhere = decideRefund(lost, transferred({ recipient: OTHER, amountAtomic: 2n }));
    expect(elsewhere).toEqual({ action: 'fail', code: 'refund_signature_used' });
    expect(decideRefund(lost, transferred({ wallet: SECOND }))).toEqual({ action: 'wait' });
  });
});

test('a reported transfer counts with the amount of its log, and only to the refund’s recipient', () => {
  const other = transferred({ wallet: SECOND, amountAtomic: 2n });
  expect(decideRefund(reported, other)).toMatchObject({
    action: 'complete',
    evidence: { wallet: SECOND, amountAtomic: 2n },
  });
  expect(decideRefund(reported, transferred({ recipient: OTHER }))).toEqual({ action: 'wait' });
});

describe('whoever took over the API and writes a refund', () => {
  const FAILS = { action: 'fail', code: 'refund_transfer_not_proven' };

  test('has no transfer of his own wallet counted, though he computes its nonce', () => {
    const own = { ...TERMS, wallet: OTHER };
    const forged = { ...signed, wallet: OTHER, nonce: refundNonce(own) };
    for (const signature of ['0x00', null])
      expect(decideRefund({ ...forged, signature }, transferred({ wallet: OTHER }))).toEqual(FAILS);
    expect(decideRefund({ ...reported, wallet: OTHER }, transferred({ wallet: OTHER }))).toEqual(FAILS);
    expect(decideRefund(reported, transferred({ wallet: OTHER }))).toEqual({ action: 'wait' });
  });

  test('has no transfer of the merchant to somebody else counted as reported', () => {
    const elsewhere = { ...reported, recipient: OTHER };
    expect(decideRefund(elsewhere, transferred({ recipient: OTHER }))).toEqual(FAILS);
    const erased = { ...elsewhere, payment: { payer: null } };
    expect(decideRefund(erased, transferred({ recipient: OTHER }))).toEqual(FAILS);
  });
});

test('what is not decided waits, and what moves no money any more fails by name', () => {
  expect(decideRefund(signed, { outcome: 'open' })).toEqual({ action: 'wait' });
  const codeOf = (reason: VoidRefund) => decideRefund(signed, { outcome: 'void', reason });
  expect(codeOf('expired')).toEqual({ action: 'fail', code: 'refund_expired' });
  expect(codeOf('canceled')).toEqual({ action: 'fail', code: 'refund_signature_used' });
  expect(codeOf('no_transfer')).toEqual({ action: 'fail', code: 'refund_transfer_not_proven' });
});
