// Counts what relayers pay for transactions, and the part of it that settles nothing. Unit: whole coins (ETH, SOL), as
// floats for dashboards. The exact amounts are in svc.ledger_entries and svc.gas_losses.
import { LOSS_CAUSES } from '@svc-pay/core';
import type { GasSpent } from '@svc-pay/postgres/settlement-service';
import { Counter, type Registry } from 'prom-client';

export type GasCounters = { readonly count: (spent: readonly GasSpent[]) => void };

export function createGasCounters(registers: Registry[], networks: readonly string[]): GasCounters {
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Counter({ name, help, labelNames, registers });
  const spentCoins = counter('gas_spent_coins_total', 'What recorded transactions cost, in the network’s own coin', [
    'network',
  ]);
  const lostCoins = counter('gas_lost_coins_total', 'The part of it that settled nothing, by why it did not', [
    'network',
    'cause',
  ]);
  const unsettled = counter(
    'payments_unsettled_total',
    'Payments that a recorded transaction carried and did not settle',
    ['network', 'cause'],
  );
  const reverted = counter('transactions_reverted_total', 'Recorded transactions that were undone as a whole', [
    'network',
  ]);
  // The gas of a refund that moved its money is spent, and burnt by nobody.
  const isBurnt = (cause: string) => cause !== 'refund';
  // Each series starts at 0: a monitor sees no increase in a series that begins with its first event.
  for (const network of networks) {
    for (const each of [spentCoins, reverted]) each.inc({ network }, 0);
    for (const cause of LOSS_CAUSES.filter(isBurnt))
      for (const each of [lostCoins, unsettled]) each.inc({ network, cause }, 0);
  }
  return {
    count: (all) => {
      for (const { network, costAtomic, reverted: isReverted, lost } of all) {
        spentCoins.inc({ network }, coins(network, costAtomic));
        if (isReverted) reverted.inc({ network });
        for (const { cause, count, amountAtomic } of lost.filter((one) => isBurnt(one.cause))) {
          lostCoins.inc({ network, cause }, coins(network, amountAtomic));
          unsettled.inc({ network, cause }, count);
        }
      }
    },
  };
}

/** Whole coins, for dashboards. */
export const coins = (network: string, units: bigint) => Number(units) / (network.startsWith('solana:') ? 1e9 : 1e18);
