import { TOKENS } from '@svc-pay/core';
import { activatePayout, type LocalChain, startAnvil, startChain } from '@svc-pay/evm/testing';
import type { DirectReport, ReportedDirectPayout } from '@svc-pay/postgres/operator';
import { createTestDatabase } from '@svc-pay/postgres/testing';
import { evmNetwork } from '@svc-pay/protocol';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkDirect, checkDirectOf, type DirectPayoutsToCheck } from './check-direct.ts';

const network = evmNetwork(31_337);
const usdc = TOKENS.find(({ shortcode }) => shortcode === 'anvil_usdc')!;
const asset = usdc.address.toLowerCase();
let chain: LocalChain;
let given: DirectPayoutsToCheck;
let report: DirectReport;

beforeAll(async () => {
  chain = await startChain();
  const { activation, approver } = await activatePayout({ network, asset });
  const payout: ReportedDirectPayout = {
    accountId: activation.accountId,
    mode: activation.mode,
    network,
    payoutId: activation.number,
    wallet: activation.wallet,
    asset,
    activeFromMs: 0,
    activation,
  };
  const nowSeconds = BigInt(Math.floor(Date.now() / 1_000));
  const cursor = { network, address: asset, kind: 'token', blockNumber: 1n, blockTimeSeconds: nowSeconds } as const;
  report = { installation: activation.installation, payouts: [payout], cursors: [cursor] };
  const setup = { processor: chain.record.processor, processorVersion: '1.3.0', ready: true, rpcUrls: [chain.rpcUrl] };
  given = {
    report,
    networks: new Map([[network, setup]]),
    approvers: new Set([approver.account.address.toLowerCase()]),
    delayMs: 0,
    clock: { nowMs: () => Date.now() },
  };
});
afterAll(() => chain.stop());

const shown = async (change: Partial<DirectPayoutsToCheck> = {}) =>
  (await checkDirect({ ...given, ...change })).map(
    ({ subject, status, message }) => `${status} ${subject}: ${message}`,
  );
const wrong = async (change: Partial<DirectPayoutsToCheck>) =>
  (await shown(change)).filter((finding) => finding.startsWith('problem'));
const withPayout = (change: Partial<ReportedDirectPayout>): Partial<DirectPayoutsToCheck> => ({
  report: { ...report, payouts: [{ ...report.payouts[0]!, ...change }] },
});

test('a database that does not say what direct payouts there are is a problem, not silence', async () => {
  const { url, pool } = await createTestDatabase();
  expect(await checkDirectOf(url, given)).toEqual([]);
  await pool.query('alter table svc.reader_cursors rename to moved');
  expect(await checkDirectOf(url, given)).toMatchObject([{ status: 'problem', subject: 'direct payouts' }]);
});

test('a direct payout with both signatures, its contract and its cursor has nothing wrong', async () => {
  expect(await shown()).toEqual([
    `ok ${network}: DirectBatch has its code.`,
    'warning anvil_usdc: No use of an authorization was seen in recent blocks, so the order of its logs is not checked.',
    expect.stringMatching(/^ok eip155:31337\/0x\w+: Direct payout 1 of acct_1 \(exclusive\) is activated\.$/),
    `ok ${network}: The chain reader is near the head with 1 sources.`,
  ]);
  expect(await checkDirect({ ...given, report: { ...report, payouts: [], cursors: [] } })).toEqual([]);
});

test.each<[string, () => Partial<DirectPayoutsToCheck>, RegExp]>([
  ['no approver', () => ({ approvers: new Set() }), /no approver is set/],
  ['an approver of nobody', () => ({ approvers: new Set(['0x1']) }), /is not used: activation_unapproved/],
  ['another wallet than was signed', () => withPayout({ wallet: `0x${'ee'.repeat(20)}` }), /activation_differs/],
  ['another account than was signed', () => withPayout({ accountId: 'acct_2' }), /activation_differs/],
  ['an activation that nobody can read', () => withPayout({ activation: undefined }), /no readable activation/],
  ['no cursor of the token', () => ({ report: { ...report, cursors: [] } }), /has no cursor for token/],
  [
    'a cursor far behind',
    () => ({ report: { ...report, cursors: [{ ...report.cursors[0]!, blockTimeSeconds: 1_700_000_000n }] } }),
    /The chain reader is at block 1 with token 0x/,
  ],
  ['a token whose logs are not pinned', () => withPayout({ asset: `0x${'77'.repeat(20)}` }), /does not pin the order/],
])('%s is a problem', async (_, change, words) => {
  expect(await wrong(change())).toContainEqual(expect.stringMatching(words));
});

test('a change that is not in effect yet is to be looked at while it can be ended', async () => {
  const activeFromMs = Date.now() + 3_600_000;
  expect(await shown(withPayout({ activeFromMs }))).toContainEqual(
    expect.stringMatching(/^warning .*Direct payout 1 .* takes effect at 20/),
  );
});

test('a chain without the batch contract is a problem', async () => {
  const anvil = await startAnvil();
  const bare = { processor: chain.record.processor, processorVersion: '1.3.0', ready: true, rpcUrls: [anvil.rpcUrl] };
  expect(await wrong({ networks: new Map([[network, bare]]) })).toContainEqual(
    expect.stringContaining('There is no DirectBatch at'),
  );
  await anvil.stop();
});
