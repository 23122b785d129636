import { newId } from '@svc-pay/protocol/ids';
import { expect, test } from 'vitest';
import { choosePayout, type OwnedPayout } from './choose-payout.ts';

const [one, other] = [newId('account', 0), newId('account', 1)];
const payout = (payoutId: bigint, accountId = one): OwnedPayout => ({
  accountId,
  mode: 'test',
  payoutId,
  merchant: 'Merchant',
  feeRecipient: 'Platform',
  feeBps: 100,
  splits: [],
});
const offered = (payoutId: bigint, payTo = 'Merchant') => [{ payoutId, payTo }];

test('the payout that the intent offered is chosen, whoever else divides alike', () => {
  const both = [payout(1n), payout(2n, other)];
  expect(choosePayout(both, offered(1n))).toEqual({ ok: true, payout: both[0] });
  expect(choosePayout(both, offered(2n))).toEqual({ ok: true, payout: both[1] });
  expect(choosePayout(both, offered(3n))).toMatchObject({ ok: false });
  // Addresses of Solana are compared letter by letter.
  expect(choosePayout(both, offered(1n, 'merchant'))).toMatchObject({ ok: false });
});

test('without an intent the newest payout of one account is chosen, and two accounts are never told apart by a guess', () => {
  expect(choosePayout([payout(1n), payout(2n)], undefined)).toMatchObject({ ok: true, payout: { payoutId: 2n } });
  expect(choosePayout([payout(1n), payout(2n, other)], undefined)).toMatchObject({ ok: false });
  expect(choosePayout([], undefined)).toMatchObject({ ok: false });
});
