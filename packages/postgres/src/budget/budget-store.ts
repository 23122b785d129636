// Measures what a network's relayers paid and lost, and records the limits that follow.
import { BUDGET_SCOPES, type BudgetStore, type WindowAmounts } from '@svc-pay/core';
import type pg from 'pg';
import { DAY_BEGINS, NET_LOSS, sumOfWindows } from './budget-windows.ts';
import { amountsOf, LIMIT_COLUMNS, type WindowRow } from './load-budgets.ts';

const PAID = {
  name: 'measure-gas-paid',
  text: `select ${sumOfWindows('amount')} from svc.gas_paid where network = $1 and slot >= ${DAY_BEGINS}`,
};
const LOST = {
  name: 'measure-gas-lost',
  text: `
    select ${sumOfWindows(NET_LOSS)} from svc.gas_budget_uses
    where network = $1 and scope = 'network' and key = '' and slot >= ${DAY_BEGINS}`,
};
const RECORD = {
  name: 'record-gas-budgets',
  text: `
    insert into svc.gas_budgets (network, ${LIMIT_COLUMNS.join(', ')}, updated_at)
    values ($1, ${LIMIT_COLUMNS.map((_, index) => `$${index + 2}::numeric`).join(', ')}, now())
    on conflict (network) do update
    set ${LIMIT_COLUMNS.map((column) => `${column} = excluded.${column}`).join(', ')}, updated_at = excluded.updated_at`,
};
const FORGET = [
  `delete from svc.gas_budget_uses where slot < ${DAY_BEGINS} - interval '1 hour'`,
  // A week of it tells how long a relayer's coins last.
  `delete from svc.gas_paid where slot < now() - interval '8 days'`,
  "delete from svc.proven_wallets where paid_at < now() - interval '13 months'",
];

export function createBudgetStore(pool: pg.Pool): BudgetStore {
  const windowsOf = async (statement: typeof PAID, network: string): Promise<WindowAmounts> => {
    const { rows } = await pool.query<WindowRow>({ ...statement, values: [network] });
    return amountsOf(rows[0] ?? { hour: '0', day: '0' });
  };
  return {
    measureGas: async (network) => {
      const [paid, lost] = await Promise.all([windowsOf(PAID, network), windowsOf(LOST, network)]);
      return { paid, lost };
    },
    recordLimits: async (network, limits) => {
      const values = BUDGET_SCOPES.flatMap((scope) => [limits[scope].hourAtomic, limits[scope].dayAtomic]);
      await pool.query({ ...RECORD, values: [network, ...values.map(String)] });
    },
    forgetOld: async () => {
      for (const text of FORGET) await pool.query(text);
    },
  };
}
