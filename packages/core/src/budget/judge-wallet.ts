// Decides whether a payment of the solo queue may cost gas now: at settle, and again before its transaction is sent.
import { type BudgetLimits, type BudgetScope, isSpent, type WindowAmounts } from './gas-budget.ts';

export type WalletBudget = {
  /** Undefined until settlement has computed them: nothing is refused. */
  readonly limits: BudgetLimits | undefined;
  readonly lost: Readonly<Record<BudgetScope, WindowAmounts>>;
  /** The wallet has a completed payment. */
  readonly proven: boolean;
};

/** `spent`: refuse it. */
export type WalletVerdict = 'open' | 'spent';

/** Budgets that others can spend. */
const SHARED: readonly BudgetScope[] = ['network', 'account', 'code'];

/**
 * A wallet that paid is not bound by what others lost. It is again, for a day, once it lost gas itself: otherwise a
 * smallest payment would buy the right to burn gas beside every budget.
 */
export function isBound(byContract: boolean, { proven, lost }: WalletBudget): boolean {
  return byContract && !(proven && lost.payer.dayAtomic <= 0n);
}

export function judgeWallet(byContract: boolean, budget: WalletBudget): WalletVerdict {
  const { limits, lost } = budget;
  if (limits === undefined) return 'open';
  const binding = isBound(byContract, budget) ? [...SHARED, 'payer' as const] : (['payer'] as const);
  return binding.some((scope) => isSpent(lost[scope], limits[scope])) ? 'spent' : 'open';
}

/** What pending transactions of bound wallets may cost at worst. */
export type AtRisk = { readonly sumAtomic: bigint; readonly mostAtomic: bigint };

export type SoloBudget = WalletBudget & {
  readonly atRisk: Readonly<Record<BudgetScope, AtRisk>>;
  /** Transactions of bound wallets on the network, when the budgets were read. Undefined without limits. */
  readonly boundSends: bigint | undefined;
};

/**
 * `wait`: pending transactions may use up what is left. While a budget is not spent one transaction may always be
 * pending, also where a single one costs more than the budget.
 */
export function judgeSolo(byContract: boolean, budget: SoloBudget): WalletVerdict | 'wait' {
  const verdict = judgeWallet(byContract, budget);
  const { limits, lost, atRisk } = budget;
  if (verdict === 'spent' || limits === undefined || !isBound(byContract, budget)) return verdict;
  const isFull = (scope: BudgetScope) => {
    const { sumAtomic, mostAtomic } = atRisk[scope];
    // The next transaction counts as much as the dearest pending one.
    const more = sumAtomic + mostAtomic;
    const [was, limit] = [lost[scope], limits[scope]];
    return sumAtomic > 0n && (was.hourAtomic + more > limit.hourAtomic || was.dayAtomic + more > limit.dayAtomic);
  };
  return SHARED.some(isFull) ? 'wait' : 'open';
}

/**
 * Of a refund. A merchant who pays himself could have relayers carry the money back and forth for nothing. What honest
 * refunds cost is nobody's loss, and closes nothing to payers.
 */
export function judgeRefundGas(byContract: boolean, budget: SoloBudget): WalletVerdict | 'wait' {
  const { limits, lost } = budget;
  const isOver = limits !== undefined && isSpent(lost.refunds, limits.refunds);
  return isOver ? 'spent' : judgeSolo(byContract, budget);
}
