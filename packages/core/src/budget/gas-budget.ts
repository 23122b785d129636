// Gas budgets: how much gas may be spent on payments that settle nothing, over an hour and over a day. Whoever pays by
// key answers for their own losses only. The budgets of a code, an account and a network bind contract wallets that never
// paid, and nobody else: spending a budget must not switch a merchant off.

/** `code`: wallets with the same code. `refunds`: what an account's refunds cost that moved their money. */
export const BUDGET_SCOPES = ['network', 'account', 'code', 'payer', 'refunds'] as const;
export type BudgetScope = (typeof BUDGET_SCOPES)[number];

/** Amounts in the chain's own coin, over the last hour and the last day. */
export type WindowAmounts = { readonly hourAtomic: bigint; readonly dayAtomic: bigint };

export const NO_AMOUNTS: WindowAmounts = { hourAtomic: 0n, dayAtomic: 0n };

export type BudgetLimits = Readonly<Record<BudgetScope, WindowAmounts>>;

export function isSpent(lost: WindowAmounts, limit: WindowAmounts): boolean {
  return reaches(lost.hourAtomic, limit.hourAtomic) || reaches(lost.dayAtomic, limit.dayAtomic);
}

const reaches = (lostAtomic: bigint, limitAtomic: bigint) => lostAtomic > 0n && lostAtomic >= limitAtomic;

/** Losses of one payer, and the limits of its network. */
export type PayerBudget = { readonly lost: WindowAmounts; readonly limit: WindowAmounts };

/** Undefined: the payer lost nothing, or its network has no limits yet. */
export function isPayerSpent(budget: PayerBudget | undefined): boolean {
  return budget !== undefined && isSpent(budget.lost, budget.limit);
}

/** Whose budgets a payment uses. */
export type BudgetParty = {
  readonly accountId: string;
  /** Normalized. */
  readonly payer: string;
  /** Hash of the contract wallet's code, 0x-hex. Absent for a signature by key. */
  readonly codeHash?: string | undefined;
  /** It is a refund: `payer` is the merchant's wallet. */
  readonly isRefund?: boolean | undefined;
};

/**
 * Key of a party's budget of each scope. The network has one budget; a party without code has none for it, and a payment
 * none for refunds.
 */
export function budgetKeys({ accountId, payer, codeHash, isRefund }: BudgetParty): ReadonlyMap<BudgetScope, string> {
  return new Map<BudgetScope, string>([
    ['network', ''],
    ['account', accountId],
    ...(codeHash === undefined ? [] : [['code', codeHash] as const]),
    ['payer', payer],
    ...(isRefund ? [['refunds', accountId] as const] : []),
  ]);
}
