// Reads the gas budget of a payer inside a statement that settle runs anyway.
import type { PayerBudget } from '@svc-pay/core';
import { DAY_BEGINS, NET_LOSS, sumOfWindows } from './budget-windows.ts';

const budgetOf = (network: string, payer: string, limits: string) => `
      select json_build_object(
          'hour', lost.hour, 'day', lost.day,
          'hourLimit', limits.payer_hour::text, 'dayLimit', limits.payer_day::text
        ) as payer_budget
      from ${limits}
      cross join lateral (
        select ${sumOfWindows(NET_LOSS)} from svc.gas_budget_uses
        where network = ${network} and scope = 'payer' and key = ${payer} and slot >= ${DAY_BEGINS}
        having count(*) > 0
      ) lost`;

/** SQL join `budget`: its column `payer_budget` is null for a payer that lost nothing, which are nearly all. */
export const payerBudgetJoin = (network: string, payer: string) => `
    left join lateral (
      ${budgetOf(network, payer, `(select * from svc.gas_budgets where network = ${network}) limits`)}
    ) budget on true`;

/**
 * The same for a signed transaction, which names no network: on the networks that `acceptances`, a condition of
 * `svc.acceptances`, offers. A payer's address is of one chain family, which has one network in each mode.
 */
export const offeredBudgetJoin = (acceptances: string, payer: string) => `
    left join lateral (
      ${budgetOf(
        'limits.network',
        payer,
        `(select * from svc.gas_budgets where network in (select network from svc.acceptances where ${acceptances})) limits`,
      )}
      limit 1
    ) budget on true`;

export type PayerBudgetRow = {
  readonly hour: string;
  readonly day: string;
  readonly hourLimit: string;
  readonly dayLimit: string;
};

/** For a read of settle: absent where the payer lost nothing. */
export function payerBudgetOf(row: PayerBudgetRow | null | undefined): { readonly payerBudget?: PayerBudget } {
  if (row === null || row === undefined) return {};
  return {
    payerBudget: {
      lost: { hourAtomic: BigInt(row.hour), dayAtomic: BigInt(row.day) },
      limit: { hourAtomic: BigInt(row.hourLimit), dayAtomic: BigInt(row.dayLimit) },
    },
  };
}
