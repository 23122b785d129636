import { describe, expect, test } from 'vitest';
import { type BudgetLimits, type BudgetScope, NO_AMOUNTS, type WindowAmounts } from './gas-budget.ts';
import { type AtRisk, judgeRefundGas, judgeSolo, judgeWallet, type SoloBudget } from './judge-wallet.ts';

const amounts = (hourAtomic: bigint, dayAtomic: bigint): WindowAmounts => ({ hourAtomic, dayAtomic });
const limits: BudgetLimits = {
  network: amounts(100n, 500n),
  account: amounts(25n, 125n),
  code: amounts(25n, 125n),
  payer: amounts(10n, 50n),
  refunds: amounts(40n, 200n),
};
const nobody = { network: NO_AMOUNTS, account: NO_AMOUNTS, code: NO_AMOUNTS, payer: NO_AMOUNTS, refunds: NO_AMOUNTS };
const none: AtRisk = { sumAtomic: 0n, mostAtomic: 0n };
const budget = (
  lost: Partial<Record<BudgetScope, WindowAmounts>> = {},
  change: Partial<Omit<SoloBudget, 'lost'>> = {},
): SoloBudget => ({
  limits,
  lost: { ...nobody, ...lost },
  proven: false,
  atRisk: { network: none, account: none, code: none, payer: none, refunds: none },
  boundSends: 0n,
  ...change,
});

describe('a spent budget', () => {
  const spent: readonly (readonly [string, Partial<Record<BudgetScope, WindowAmounts>>])[] = [
    ['of the network, by the hour', { network: amounts(100n, 100n) }],
    ['of the network, by the day', { network: amounts(0n, 500n) }],
    ['of the account', { account: amounts(25n, 25n) }],
    ['of the code', { code: amounts(25n, 25n) }],
  ];
  test.each(spent)('%s refuses a contract wallet that never paid', (_, lost) => {
    expect(judgeWallet(true, budget(lost))).toBe('spent');
  });
  test.each(spent)('%s refuses no payer by key', (_, lost) => {
    expect(judgeWallet(false, budget(lost))).toBe('open');
  });
  test.each(spent)('%s refuses no contract wallet that paid', (_, lost) => {
    expect(judgeWallet(true, budget(lost, { proven: true }))).toBe('open');
  });
  test('of others binds a wallet that paid again for a day after it lost gas itself', () => {
    const lost = { network: amounts(100n, 100n), payer: amounts(0n, 1n) };
    expect(judgeWallet(true, budget(lost, { proven: true }))).toBe('spent');
  });
  test('of the payer refuses it, by key and with completed payments too', () => {
    const lost = { payer: amounts(10n, 10n) };
    expect([judgeWallet(false, budget(lost)), judgeWallet(true, budget(lost, { proven: true }))]).toEqual([
      'spent',
      'spent',
    ]);
  });
  test('of an account’s refunds holds refunds, and no payment of anybody', () => {
    const lost = { refunds: amounts(40n, 40n) };
    expect([judgeRefundGas(false, budget(lost)), judgeSolo(true, budget(lost))]).toEqual(['spent', 'open']);
    expect(judgeRefundGas(false, budget({ refunds: amounts(39n, 199n) }))).toBe('open');
    expect(judgeRefundGas(false, budget({ payer: amounts(10n, 10n) }))).toBe('spent');
    expect(judgeRefundGas(false, budget({ network: amounts(100n, 100n) }))).toBe('open');
  });
  test('that is not known yet refuses nobody', () => {
    expect(judgeWallet(true, budget({ network: amounts(1_000n, 1_000n) }, { limits: undefined }))).toBe('open');
  });
  test('is one that lost something: nobody is refused for a limit of zero', () => {
    const zero = { network: NO_AMOUNTS, account: NO_AMOUNTS, code: NO_AMOUNTS, payer: NO_AMOUNTS, refunds: NO_AMOUNTS };
    expect(judgeWallet(true, budget({}, { limits: zero }))).toBe('open');
  });
});

describe('what pending transactions may cost', () => {
  const pending = (sumAtomic: bigint, mostAtomic: bigint) => ({
    atRisk: { network: { sumAtomic, mostAtomic }, account: none, code: none, payer: none, refunds: none },
  });
  test('counts as lost for the next contract wallet that never paid', () => {
    expect(judgeSolo(true, budget({ network: amounts(40n, 40n) }, pending(40n, 20n)))).toBe('open');
    expect(judgeSolo(true, budget({ network: amounts(41n, 41n) }, pending(40n, 20n)))).toBe('wait');
  });
  test('delays neither a payer by key nor a wallet that paid', () => {
    const full = budget({ network: amounts(41n, 41n) }, pending(40n, 20n));
    expect([judgeSolo(false, full), judgeSolo(true, { ...full, proven: true })]).toEqual(['open', 'open']);
  });
  test('is nothing where one transaction costs more than the budget: one at a time may go', () => {
    expect(judgeSolo(true, budget({ network: amounts(99n, 99n) }))).toBe('open');
  });
});
