import { IDL } from '@icp-sdk/core/candid';
import { Principal } from '@icp-sdk/core/principal';
import { expect, test } from 'vitest';
import { describeCall } from './describe-call.ts';
import { TRANSFER } from './transfer-candid.ts';

const LEDGER = 'bkyz2-fmaaa-aaaaa-qaaaq-cai';
const [PAYER, MERCHANT] = ['2vxsx-fae', 'k2t6j-2nvnp-4zjm3-25dtz-6xhaa-c7boj-5gayf-oj3xs-i43lp-teztq-6ae'];
const token = { ledger: LEDGER, symbol: 'ckUSDC' };
const transfer = {
  from_subaccount: [],
  to: { owner: Principal.fromText(MERCHANT), subaccount: [] },
  amount: 3_100_000n,
  fee: [10_000n],
  memo: [Buffer.from('svc:77')],
  created_at_time: [1_800_000_000_000_000_000n],
};
const call = {
  canisterId: LEDGER,
  sender: PAYER,
  method: 'icrc1_transfer',
  arg: Buffer.from(IDL.encode([TRANSFER], [transfer])).toString('base64'),
};

test('a payer is told amount, recipient, fee and memo of a transfer, from its bytes', () => {
  const { headline, rows } = describeCall(call, token);
  expect(headline).toBe('Send 3.10 ckUSDC?');
  expect(Object.fromEntries(rows)).toEqual({
    From: PAYER,
    To: MERCHANT,
    Token: LEDGER,
    'Ledger’s fee': '0.01',
    Memo: 'svc:77',
    'Made at': 'Fri, 15 Jan 2027 08:00:00 GMT',
  });
});

test.each([
  ['of another ledger', { canisterId: 'xevnm-gaaaa-aaaar-qafnq-cai' }],
  ['of another method', { method: 'icrc2_approve' }],
  ['whose argument is no transfer', { arg: 'AAAA' }],
])('a call %s is shown as one that the wallet can’t read', (_, change) => {
  const { headline, rows } = describeCall({ ...call, ...change }, token);
  expect(headline).toBe('Make a call that this wallet can’t read?');
  expect(rows).toContainEqual(['Canister', { ...call, ...change }.canisterId]);
});
