// Limits of a network's gas budgets. They have a floor in dollars and grow with what settled payments cost there: on a
// busy network a share of that, on a quiet one the floor.
import { type Rate, type Usd, usdToToken } from '@svc-pay/money';
import type { BudgetLimits, WindowAmounts } from './gas-budget.ts';

export type BudgetFloors = { readonly hour: Usd; readonly day: Usd };

/** One in a hundred of what settled payments cost. */
const NETWORK_PART = 100n;
/** An account and a code may lose a quarter of that: one of them does not close the network. */
const GROUP_PART = 4n;
/** A payer may lose a tenth of the floor, however busy the network is. */
const PAYER_PART = 10n;

/** The refunds of one account may cost one in ten of what settled payments cost on the network, and the floor at least. */
const REFUNDS_PART = 10n;

/** `gasCoin`: price of the coin that pays for gas. `settled`: what settled payments cost. */
export function budgetLimits(floors: BudgetFloors, gasCoin: Rate, settled: WindowAmounts): BudgetLimits {
  const floor: WindowAmounts = {
    hourAtomic: usdToToken(floors.hour, gasCoin, 'up').atomic,
    dayAtomic: usdToToken(floors.day, gasCoin, 'up').atomic,
  };
  const network = greater(floor, partOf(settled, NETWORK_PART));
  const group = partOf(network, GROUP_PART);
  const refunds = greater(floor, partOf(settled, REFUNDS_PART));
  return { network, account: group, code: group, payer: partOf(floor, PAYER_PART), refunds };
}

const partOf = ({ hourAtomic, dayAtomic }: WindowAmounts, part: bigint): WindowAmounts => ({
  hourAtomic: hourAtomic / part,
  dayAtomic: dayAtomic / part,
});

const greater = (one: WindowAmounts, other: WindowAmounts): WindowAmounts => ({
  hourAtomic: one.hourAtomic > other.hourAtomic ? one.hourAtomic : other.hourAtomic,
  dayAtomic: one.dayAtomic > other.dayAtomic ? one.dayAtomic : other.dayAtomic,
});
