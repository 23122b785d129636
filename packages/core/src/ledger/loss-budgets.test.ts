import { newId } from '@svc-pay/protocol/ids';
import { expect, test } from 'vitest';
import type { GasLoss } from './gas-loss.ts';
import { LOSS_CAUSES } from './gas-loss.ts';
import { budgetUses } from './loss-budgets.ts';

const loss = (change: Partial<GasLoss> = {}): GasLoss => ({
  id: newId('ledgerEntry', 0),
  network: 'eip155:84532' as GasLoss['network'],
  relayer: '0x5e',
  batchId: 'bat_1',
  transactionId: '0xfe',
  accountId: 'acct_1' as GasLoss['accountId'],
  paymentId: 'pay_1' as GasLoss['paymentId'],
  payer: '0xaa',
  codeHash: '0xc0de',
  cause: 'reverted_alone',
  amountAtomic: 7n,
  reverses: null,
  createdAtMs: 0,
  ...change,
});
const scopesOf = (...losses: readonly GasLoss[]) =>
  Object.fromEntries(budgetUses(losses).map(({ scope, key, lostAtomic }) => [`${scope} ${key}`.trim(), lostAtomic]));

test('what a contract wallet burnt counts against its network, account, code and payer', () => {
  expect(scopesOf(loss())).toEqual({ network: 7n, 'account acct_1': 7n, 'code 0xc0de': 7n, 'payer 0xaa': 7n });
});

test('what a payer by key burnt counts against no code', () => {
  expect(scopesOf(loss({ codeHash: null }))).toEqual({ network: 7n, 'account acct_1': 7n, 'payer 0xaa': 7n });
});

test('only what the payer caused counts against payer and account; a stranger who uses the authorization first causes none of it', () => {
  const byPayer = LOSS_CAUSES.filter((cause) => 'payer 0xaa' in scopesOf(loss({ cause })));
  expect(byPayer.toSorted()).toEqual(['insufficient_funds', 'pull_refused', 'reverted_alone']);
  expect(scopesOf(loss({ cause: 'authorization_used' }))).toEqual({ network: 7n });
});

test('gas of which nothing is known counts against no budget', () => {
  expect(scopesOf(loss({ cause: 'unknown' }))).toEqual({});
});

test('gas of a refund that moved its money counts against the account’s budget of refunds alone', () => {
  expect(scopesOf(loss({ cause: 'refund' }))).toEqual({ 'refunds acct_1': 7n });
  expect(scopesOf(loss({ cause: 'refund', accountId: null }))).toEqual({});
});

test('losses of one transaction are summed by budget, and a reversal takes its loss back', () => {
  const other = loss({ payer: '0xbb', codeHash: null, amountAtomic: 2n });
  expect(scopesOf(loss(), loss(), other, loss({ amountAtomic: -7n }))).toEqual({
    network: 9n,
    'account acct_1': 9n,
    'code 0xc0de': 7n,
    'payer 0xaa': 7n,
    'payer 0xbb': 2n,
  });
});
