// Gauges of gas budgets. Units: whole coins, as floats for dashboards.
import type { BudgetMeasures } from '@svc-pay/postgres/settlement-service';
import { Gauge, type Registry } from 'prom-client';
import { coins } from './gas-counters.ts';

type BudgetMetrics = { readonly show: (measures: BudgetMeasures | undefined) => void };

export function createBudgetMetrics(registers: Registry[]): BudgetMetrics {
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Gauge({ name, help, labelNames, registers });
  const limit = gauge('gas_budget_coins', 'What relayers may lose before new contract wallets are refused', [
    'network',
    'window',
  ]);
  const lost = gauge('gas_budget_lost_coins', 'What they lost in that window', ['network', 'window']);
  const spent = gauge('gas_budgets_spent', 'Spent gas budgets, by what they belong to', ['network', 'scope']);
  return {
    show: (measures) => {
      for (const each of [limit, lost, spent]) each.reset();
      for (const { network, ...measured } of measures ?? []) {
        for (const window of ['hour', 'day'] as const) {
          limit.set({ network, window }, coins(network, measured.limit[`${window}Atomic`]));
          lost.set({ network, window }, coins(network, measured.lost[`${window}Atomic`]));
        }
        for (const { scope, count } of measured.spent) spent.set({ network, scope }, count);
      }
    },
  };
}
