// Numbers for the gauges of gas budgets.
import { type BudgetScope, isSpent, type WindowAmounts } from '@svc-pay/core';
import type pg from 'pg';
import { sqlIs } from '../database/status-sql.ts';
import { DAY_BEGINS, NET_LOSS, sumOfWindows } from './budget-windows.ts';
import { amountsOf, type WindowRow } from './load-budgets.ts';

export type BudgetMeasures = readonly {
  readonly network: string;
  readonly limit: WindowAmounts;
  readonly lost: WindowAmounts;
  /** Spent budgets by scope. Payers are not counted: each closes the service to itself alone. */
  readonly spent: readonly { readonly scope: BudgetScope; readonly count: number }[];
}[];

const SHOWN = ['network', 'account', 'code', 'refunds'] as const;

const LIMITS = `
  select network, ${SHOWN.map((scope) => `${scope}_hour, ${scope}_day`).join(', ')} from svc.gas_budgets`;
const LOST = `
  select network, scope, key, ${sumOfWindows(NET_LOSS)} from svc.gas_budget_uses
  where scope ${sqlIs(...SHOWN)} and slot >= ${DAY_BEGINS}
  group by network, scope, key`;

type LimitsRow = { readonly network: string } & Readonly<Record<string, string>>;
type LostRow = WindowRow & { readonly network: string; readonly scope: (typeof SHOWN)[number] };

export async function measureBudgets(pool: pg.Pool): Promise<BudgetMeasures> {
  const [limits, lost] = await Promise.all([pool.query<LimitsRow>(LIMITS), pool.query<LostRow>(LOST)]);
  return limits.rows.map((row) => {
    const limitOf = (scope: BudgetScope) =>
      amountsOf({ hour: row[`${scope}_hour`] ?? '0', day: row[`${scope}_day`] ?? '0' });
    const own = lost.rows.filter(({ network }) => network === row.network);
    const whole = own.find(({ scope }) => scope === 'network');
    return {
      network: row.network,
      limit: limitOf('network'),
      lost: amountsOf(whole ?? { hour: '0', day: '0' }),
      spent: SHOWN.map((scope) => ({
        scope,
        count: own.filter((one) => one.scope === scope && isSpent(amountsOf(one), limitOf(scope))).length,
      })),
    };
  });
}
