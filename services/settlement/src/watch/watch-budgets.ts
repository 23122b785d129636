// Computes the limits of a network's gas budgets from what its settled payments cost, and logs when the network's own
// budget is spent and when it is open again. Settle and lanes compare losses with these limits themselves.
import {
  assumedGasCoin,
  type BudgetFloors,
  type BudgetStore,
  budgetLimits,
  type GasMeasures,
  isSpent,
  jobName,
  type PeriodicJob,
  type WatchLog,
  type WindowAmounts,
} from '@svc-pay/core';
import type { Rate } from '@svc-pay/money';
import type { NetworkId } from '@svc-pay/protocol';

/** Limits grow slowly; losses are read when they are compared. */
const EVERY_MS = 5_000;

export type BudgetDeps = {
  readonly budgets: BudgetStore;
  readonly budgetFloors: BudgetFloors;
  readonly log: WatchLog;
};

/** `gasCoin`: its configured price. */
export function createBudgetWatch(
  { network, gasCoin = assumedGasCoin(network) }: { readonly network: NetworkId; readonly gasCoin: Rate | undefined },
  { budgets, budgetFloors, log }: BudgetDeps,
): readonly PeriodicJob[] {
  if (gasCoin === undefined) return [];
  let wasSpent = false;
  const run = async () => {
    const measures = await budgets.measureGas(network);
    const limits = budgetLimits(budgetFloors, gasCoin, settledOf(measures));
    await budgets.recordLimits(network, limits);
    const spent = isSpent(measures.lost, limits.network);
    if (spent !== wasSpent) {
      const details = { network, lost: printed(measures.lost), limit: printed(limits.network) };
      log(spent ? 'gas_budget_spent' : 'gas_budget_open', details);
    }
    wasSpent = spent;
    await budgets.forgetOld();
  };
  return [{ name: jobName('gas-budget', network), everyMs: EVERY_MS, run }];
}

const settledOf = ({ paid, lost }: GasMeasures): WindowAmounts => ({
  hourAtomic: atLeastZero(paid.hourAtomic - lost.hourAtomic),
  dayAtomic: atLeastZero(paid.dayAtomic - lost.dayAtomic),
});

const atLeastZero = (amount: bigint) => (amount > 0n ? amount : 0n);

const printed = ({ hourAtomic, dayAtomic }: WindowAmounts) => ({ hour: String(hourAtomic), day: String(dayAtomic) });
