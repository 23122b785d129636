// Which gas budgets a loss counts against. What a payer causes counts against payer, code and account too; what anybody
// else may have caused counts against the network alone.
import { type BudgetScope, budgetKeys } from '../budget/gas-budget.ts';
import type { GasLoss, LossCause } from './gas-loss.ts';

export type BudgetUse = {
  readonly network: string;
  readonly scope: BudgetScope;
  readonly key: string;
  /** Negative where a reorg reversed the loss. */
  readonly lostAtomic: bigint;
};

/** A stranger who uses an authorization first causes none of these. */
const BY_THE_PAYER: ReadonlySet<LossCause> = new Set(['pull_refused', 'reverted_alone', 'insufficient_funds']);

/** One use for each budget, in one order, so that two transactions lock the rows of budgets in the same order. */
export function budgetUses(losses: readonly GasLoss[]): readonly BudgetUse[] {
  const uses = new Map<string, BudgetUse>();
  for (const loss of losses) {
    for (const [scope, key] of keysOf(loss)) {
      const name = [loss.network, scope, key].join(' ');
      const lostAtomic = (uses.get(name)?.lostAtomic ?? 0n) + loss.amountAtomic;
      uses.set(name, { network: loss.network, scope, key, lostAtomic });
    }
  }
  return [...uses].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, use]) => use);
}

function keysOf({ accountId, payer, codeHash, cause }: GasLoss): Iterable<readonly [BudgetScope, string]> {
  // Nothing is known of the payments of a restored batch, not even when they were lost.
  if (cause === 'unknown') return [];
  // The gas of a refund that moved its money is no loss, and has a budget of its own.
  if (cause === 'refund') return accountId === null ? [] : [['refunds', accountId]];
  if (!BY_THE_PAYER.has(cause) || accountId === null || payer === null) return [['network', '']];
  return budgetKeys({ accountId, payer, codeHash: codeHash ?? undefined });
}
