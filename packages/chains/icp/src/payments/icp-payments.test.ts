import { findToken, memoOfIntent, type RegularWay } from '@svc-pay/core';
import { atomicAmount } from '@svc-pay/money';
import { regularOption } from '@svc-pay/protocol';
import { expect, test } from 'vitest';
import { createIcpPayments } from './icp-payments.ts';

const OWNER = 'k2t6j-2nvnp-4zjm3-25dtz-6xhaa-c7boj-5gayf-oj3xs-i43lp-teztq-6ae';
const CREATED_AT_MS = Date.UTC(2026, 10, 17, 12, 0, 0, 123);
const { regular } = createIcpPayments({ isLedgerRead: async () => true });

function optionOf({
  payTo = OWNER,
  expectedSender = null as string | null,
  shortcode = 'ic_ckusdc',
  payments = 0,
} = {}) {
  const token = findToken(shortcode);
  if (token === undefined) throw new Error('no token');
  return regular?.optionOf({
    caller: {} as RegularWay['caller'],
    intent: { id: 'pi_1' as RegularWay['intent']['id'], intentCode: 4_242, createdAtMs: CREATED_AT_MS, expectedSender },
    terms: { network: token.network, token, payTo, amount: atomicAmount(12_500_000n), payoutId: 7n },
    payments,
    setup: { processor: '', paysMerchant: true, ready: true },
    attempt: 0,
    endsAtMs: CREATED_AT_MS + 60_000,
    rpcUrlPublic: undefined,
    requestUrlOf: () => null,
  });
}

test('an option has every argument of the transfer, and reads by the shape of the wire', () => {
  const option = optionOf({ payTo: `${OWNER}-6cc627i.1` });
  expect(option).toEqual({
    kind: 'icrc1_transfer',
    network: 'icp:mainnet',
    token: 'xevnm-gaaaa-aaaar-qafnq-cai',
    tokenShortcode: 'ic_ckusdc',
    decimals: 6,
    amount: '12500000',
    expiresAt: '2026-11-17T12:01:00.123Z',
    ledgerCanisterId: 'xevnm-gaaaa-aaaar-qafnq-cai',
    to: { owner: OWNER, subaccount: `0x${'00'.repeat(31)}01`, text: `${OWNER}-6cc627i.1` },
    memo: `0x${Buffer.from(memoOfIntent(4_242n)).toString('hex')}`,
    createdAtTime: `${CREATED_AT_MS}000000`,
    fee: '10000',
  });
  expect(regularOption.parse(JSON.parse(JSON.stringify(option)))).toEqual(option);
  expect(optionOf()).toMatchObject({ to: { owner: OWNER, subaccount: null, text: OWNER } });
});

test('the transfer of an intent is the same however often it is asked for, and another after each payment', () => {
  expect(optionOf()).toEqual(optionOf());
  expect(optionOf({ payments: 5 })).toMatchObject({ createdAtTime: `${CREATED_AT_MS}000005` });
});

test('nothing is offered to a recipient, or asked of a sender, that is none of the network', () => {
  expect(optionOf({ payTo: `0x${'66'.repeat(20)}` })).toBeUndefined();
  expect(optionOf({ expectedSender: `0x${'66'.repeat(20)}` })).toBeUndefined();
  expect(optionOf({ expectedSender: OWNER.toUpperCase() })).toBeUndefined();
  expect(optionOf({ expectedSender: OWNER })).toBeDefined();
});
