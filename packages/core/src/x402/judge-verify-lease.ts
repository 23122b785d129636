// Whether a verify gets the lease of an authorization.
import { isPayerSpent, type PayerBudget } from '../budget/gas-budget.ts';
import { type AuthorizationLease, hasLeaseEnded, isHolder, type LeaseFacts, type LeaseHolder } from './lease.ts';

/** What the payer of an authorization owes already, in the same token. */
export type PayerExposure = {
  /** Other authorizations that are leased, or that a settle has begun with and may still claim. */
  readonly leased: bigint;
  /** Payments that are claimed and have no result. */
  readonly pending: bigint;
  /** The payer has more leases or payments than are summed. */
  readonly uncounted?: boolean;
  /** Gas that the payer's payments lost. */
  readonly payerBudget?: PayerBudget;
};

export type LeaseRequest = LeaseHolder & {
  readonly amount: bigint;
  /** What the payer had when the chain was asked; undefined where the chain family does not tell. */
  readonly balance: bigint | undefined;
  /** What the payer may have unsettled in the token beside its first payment. Undefined: any amount. */
  readonly unsettledLimit: bigint | undefined;
};

/**
 * `spent`: it is claimed, or a settle has begun with it. `leased`: another call has it. `leased_elsewhere`: a call of another
 * account has it. `over_balance`: the payer's balance is needed for what is leased and pending already. `over_limit`: the
 * payer has too much unsettled. `payer_spent`: the payer's gas budget is spent.
 */
export type LeaseRefusal = 'spent' | 'leased' | 'leased_elsewhere' | 'over_balance' | 'over_limit' | 'payer_spent';

/** `call`: the number that the call gets. The fence of the write is the number before it. */
export type VerifyVerdict =
  | { readonly granted: true; readonly call: number }
  | { readonly granted: false; readonly refusal: LeaseRefusal };

/**
 * An answer is on its way for a few milliseconds; a process that ends in them leaves no mark. After this time an answer
 * without a mark counts as lost.
 */
export const ANSWER_GRACE_MS = 5_000;

export function judgeVerify(
  request: LeaseRequest,
  { lease, claim }: LeaseFacts,
  exposure: PayerExposure,
  nowMs: number,
): VerifyVerdict {
  if (claim !== undefined) return refused('spent');
  const holds = isHeld(lease, nowMs);
  if (holds && !isHolder(lease, request)) return refused('leased_elsewhere');
  if (holds && lease.intentId !== null) return refused('spent');
  if (holds && !isAnswerLost(lease, nowMs, ANSWER_GRACE_MS)) return refused('leased');
  if (isPayerSpent(exposure.payerBudget)) return refused('payer_spent');
  if (exposure.uncounted === true) return refused('over_limit');
  const others = exposure.leased + exposure.pending;
  const total = others + request.amount;
  if (request.balance !== undefined && total > request.balance) return refused('over_balance');
  if (request.unsettledLimit !== undefined && others > 0n && total > request.unsettledLimit)
    return refused('over_limit');
  return { granted: true, call: (lease?.call ?? 0) + 1 };
}

/** It is claimed, or a settle has begun with it. */
export function isAuthorizationSpent({ lease, claim }: LeaseFacts, nowMs: number): boolean {
  return claim !== undefined || (isHeld(lease, nowMs) && lease.intentId !== null);
}

const isHeld = (lease: AuthorizationLease | undefined, nowMs: number): lease is AuthorizationLease =>
  lease !== undefined && !hasLeaseEnded(lease, nowMs);

/** Nobody marked the answer in time, or somebody saw the connection end. */
export function isAnswerLost(
  { answer, callAtMs }: Pick<AuthorizationLease, 'answer' | 'callAtMs'>,
  nowMs: number,
  withinMs: number,
): boolean {
  return answer === null ? nowMs >= callAtMs + withinMs : answer === 'lost';
}

const refused = (refusal: LeaseRefusal) => ({ granted: false, refusal }) as const;
