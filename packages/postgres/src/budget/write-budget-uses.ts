// Adds losses to the gas budgets that they count against. Core decides which these are.
import { type BudgetUse, budgetUses, type GasLoss } from '@svc-pay/core';
import type pg from 'pg';
import { columnArrays } from '../database/statement-parameters.ts';
import { SLOT_NOW } from './budget-windows.ts';

const USED = columnArrays<BudgetUse>({
  network: ['text', ({ network }) => network],
  scope: ['text', ({ scope }) => scope],
  key: ['text', ({ key }) => key],
  lost: ['numeric', ({ lostAtomic }) => lostAtomic.toString()],
});
const ADD = {
  name: 'add-budget-uses',
  text: `
    insert into svc.gas_budget_uses as known (network, scope, key, slot, lost, reversed)
    select network, scope, key, ${SLOT_NOW}, greatest(lost, 0), greatest(-lost, 0)
    from ${USED.unnestWithPlace('used')} order by place
    on conflict (network, scope, key, slot) do update
    set lost = known.lost + excluded.lost, reversed = known.reversed + excluded.reversed`,
};

export async function writeBudgetUses(client: pg.ClientBase, losses: readonly GasLoss[]): Promise<void> {
  const uses = budgetUses(losses);
  if (uses.length > 0) await client.query({ ...ADD, values: USED.values(uses) });
}
