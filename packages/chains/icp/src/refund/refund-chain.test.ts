import { type IcrcChain, memoOfIntent, type TokenBlock } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import { expect, test } from 'vitest';
import { createIcpRefunds } from './icp-refunds.ts';
import { judgeReported, type ReportedRefund } from './refund-chain.ts';

const LEDGER = 'xevnm-gaaaa-aaaar-qafnq-cai';
const OTHER = 'bkyz2-fmaaa-aaaaa-qaaaq-cai';
const MERCHANT = 'k2t6j-2nvnp-4zjm3-25dtz-6xhaa-c7boj-5gayf-oj3xs-i43lp-teztq-6ae';
const PAYER = `${MERCHANT}-6cc627i.1`;
const HOUR_MS = 3_600_000;
const BACK = { from: MERCHANT, to: PAYER, amountAtomic: 5n, memo: null };

const chainOf = (transfer: TokenBlock['transfer']): IcrcChain => ({
  network: 'icp:mainnet' as NetworkId,
  ledgers: [LEDGER, OTHER],
  facts: () => Promise.reject(new Error('not asked')),
  blocksAt: () => Promise.reject(new Error('not asked')),
  blocks: async (_, start) => ({
    length: 13n,
    blocks:
      start > 12n
        ? []
        : [{ index: start, hash: new Uint8Array(32), parentHash: new Uint8Array(32), timestampNs: 1n, transfer }],
  }),
});
const reportOf = (transactionId: string, logIndex: number | null = null) => ({ transactionId, logIndex });
const refund = (change: Partial<ReportedRefund> = {}): ReportedRefund => ({
  reported: reportOf(`${LEDGER}:12`),
  asset: LEDGER,
  recipient: PAYER,
  wallets: [MERCHANT],
  payment: { transactionId: `${LEDGER}:7`, payer: PAYER, blockNumber: null },
  submittedAtMs: null,
  createdAtMs: 0,
  ...change,
});
const cursor = { network: 'icp:mainnet' as NetworkId, ledger: LEDGER, nextIndex: 13n, lastHash: null, readAtMs: null };
const judge = (
  change: Partial<ReportedRefund> = {},
  transfer: TokenBlock['transfer'] = BACK,
  { nowMs = 1_000, isStopped = false } = {},
) => judgeReported(chainOf(transfer), { loadCursor: async () => ({ ...cursor, isStopped }) }, refund(change), nowMs);

test('a transfer from the merchant to the account that paid, after the payment, is the refund', async () => {
  expect(await judge()).toEqual({
    outcome: 'transferred',
    transactionId: `${LEDGER}:12`,
    logIndex: 0,
    wallet: MERCHANT,
    recipient: PAYER,
    amountAtomic: 5n,
    blockNumber: 12n,
  });
  expect(await judge({ reported: reportOf(`${LEDGER}:12`, 0) })).toMatchObject({ outcome: 'transferred' });
});

test.each<[string, Partial<ReportedRefund>, TokenBlock['transfer']?]>([
  ['of another ledger', { reported: reportOf(`${OTHER}:12`) }],
  ['of a payment on another ledger', { payment: { transactionId: `${OTHER}:7`, payer: PAYER, blockNumber: null } }],
  ['that is the payment itself', { reported: reportOf(`${LEDGER}:7`) }],
  ['before the payment', { reported: reportOf(`${LEDGER}:6`) }],
  ['by another log', { reported: reportOf(`${LEDGER}:12`, 1) }],
  ['from somebody else', { wallets: [PAYER] }],
  ['to another account of the payer', { recipient: `${MERCHANT}-dfxgiyy.1` }],
  ['that is no transfer', {}, null],
  ['that pays an intent', {}, { ...BACK, memo: memoOfIntent(7n) }],
  ['by a name that is none', { reported: reportOf(`0x${'ab'.repeat(32)}`) }],
])('a block %s proves no refund', async (_, change, transfer = BACK) => {
  expect(await judge(change, transfer)).toEqual({ outcome: 'void', reason: 'no_transfer' });
});

test('a block that the ledger does not have is waited for, for an hour', async () => {
  const reported = reportOf(`${LEDGER}:13`);
  expect(await judge({ reported })).toEqual({ outcome: 'open' });
  expect(await judge({ reported }, BACK, { nowMs: HOUR_MS + 1 })).toEqual({ outcome: 'void', reason: 'not_found' });
});

test('nothing is decided by the blocks of a ledger that became another', async () => {
  for (const transfer of [BACK, null])
    expect(await judge({}, transfer, { isStopped: true })).toEqual({ outcome: 'open' });
});

test('nothing is prepared to be signed, and blocks and accounts are known by their form', async () => {
  const refunds = createIcpRefunds();
  expect(refunds.signs({} as never)).toBe(false);
  expect([`${LEDGER}:12`, `${LEDGER}:012`, `0x${'ab'.repeat(32)}`].map(refunds.isTransactionId)).toEqual([
    true,
    false,
    false,
  ]);
  expect([PAYER, PAYER.toUpperCase()].map(refunds.isAddress)).toEqual([true, false]);
});
