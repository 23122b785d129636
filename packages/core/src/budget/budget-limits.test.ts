import { microsToUsd, usdMicros } from '@svc-pay/money';
import { expect, test } from 'vitest';
import { gasCoinRate } from '../pricing/gas-coin.ts';
import { CHAINS } from '../token/chain.ts';
import { assumedGasCoin } from './assumed-gas-coin.ts';
import { budgetLimits } from './budget-limits.ts';
import { NO_AMOUNTS } from './gas-budget.ts';

const usd = (dollars: bigint) => microsToUsd(usdMicros(dollars * 1_000_000n));
const floors = { hour: usd(10n), day: usd(50n) };
const ETHER = 10n ** 18n;
const coin = gasCoinRate('ETH', 18, '2500', 0);
if (coin === undefined) throw new Error('no rate');

test('a quiet network has the floor in dollars, and so have refunds; its accounts and codes a quarter, its payers a tenth', () => {
  const group = { hourAtomic: ETHER / 1_000n, dayAtomic: ETHER / 200n };
  expect(budgetLimits(floors, coin, NO_AMOUNTS)).toEqual({
    network: { hourAtomic: ETHER / 250n, dayAtomic: ETHER / 50n },
    account: group,
    code: group,
    payer: { hourAtomic: ETHER / 2_500n, dayAtomic: ETHER / 500n },
    refunds: { hourAtomic: ETHER / 250n, dayAtomic: ETHER / 50n },
  });
});

test('a busy network may lose one in a hundred of what its settled payments cost, and a payer no more than before', () => {
  const limits = budgetLimits(floors, coin, { hourAtomic: 10n * ETHER, dayAtomic: 100n * ETHER });
  expect(limits.network).toEqual({ hourAtomic: ETHER / 10n, dayAtomic: ETHER });
  expect(limits.account).toEqual({ hourAtomic: ETHER / 40n, dayAtomic: ETHER / 4n });
  expect(limits.payer).toEqual({ hourAtomic: ETHER / 2_500n, dayAtomic: ETHER / 500n });
  expect(limits.refunds).toEqual({ hourAtomic: ETHER, dayAtomic: 10n * ETHER });
});

test('a chain of the catalogue without a configured price has limits too', () => {
  const without = CHAINS.filter(({ network }) => assumedGasCoin(network) === undefined);
  expect(without.map(({ name }) => name)).toEqual(['Internet Computer', 'Local Internet Computer']);
});
