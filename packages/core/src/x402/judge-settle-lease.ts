// What a settle of an authorization does: begin a settlement, join the one that an earlier call began, wait for that call, or
// be told that it is a repeat.
import type { Id } from '@svc-pay/protocol/ids';
import { sameAddress } from '../token/address.ts';
import { ANSWER_GRACE_MS, isAnswerLost } from './judge-verify-lease.ts';
import {
  type AuthorizationLease,
  hasLeaseEnded,
  isHolder,
  type LeasedTerms,
  type LeaseFacts,
  type LeaseHolder,
} from './lease.ts';

/** A settle is answered after this time at the latest; the published clients give up after 90 seconds. */
export const MAX_SETTLE_ANSWER_MS = 60_000;

export type LeaseSettle = LeaseHolder & LeasedTerms;

/** `call`: the number that the call gets. The fence of the write is the number before it. */
export type LeaseStep =
  | { readonly does: 'begin'; readonly call: number }
  /** An earlier call began it and its answer said pending, was lost, or came before anything was claimed. */
  | { readonly does: 'join'; readonly call: number; readonly intentId: Id<'paymentIntent'> }
  /** An earlier call is not answered yet: look again soon. */
  | { readonly does: 'wait'; readonly intentId: Id<'paymentIntent'> }
  /** An earlier call was told the outcome, or another intent has the claim. `intentId`: of the same account. */
  | { readonly does: 'repeat'; readonly intentId: Id<'paymentIntent'> | undefined }
  /**
   * Another intent of the account has the claim, which the lease left before it was claimed: nobody was told of it by the lease.
   * `call`: the number with which the lease goes back to that intent, where a stranger's transaction paid it.
   */
  | { readonly does: 'return'; readonly call: number; readonly intentId: Id<'paymentIntent'> }
  | { readonly does: 'refuse'; readonly refusal: 'leased_elsewhere' };

export function judgeSettle(request: LeaseSettle, facts: LeaseFacts, nowMs: number): LeaseStep {
  const { lease, claim } = facts;
  const isOfLease = claim !== undefined && lease?.intentId === claim.intentId && isHolder(lease, claim);
  if (claim !== undefined && !isOfLease) {
    const { intentId } = claim;
    if (!isHolder(claim, request)) return { does: 'repeat', intentId: undefined };
    // A lease is deleted long after its answer: without it nobody knows who was told.
    if (lease === undefined || !isHolder(lease, request)) return { does: 'repeat', intentId };
    return { does: 'return', call: lease.call + 1, intentId };
  }
  if (lease === undefined) return { does: 'begin', call: 1 };
  const ended = claim === undefined && hasLeaseEnded(lease, nowMs);
  if (!isHolder(lease, request)) {
    return ended ? { does: 'begin', call: lease.call + 1 } : { does: 'refuse', refusal: 'leased_elsewhere' };
  }
  // What a verify leased is begun by a settle of other terms too: the chain executes one of them, and the claim says which.
  if (lease.intentId === null || ended) return { does: 'begin', call: lease.call + 1 };
  return judgeBegun(request, { ...lease, intentId: lease.intentId }, claim !== undefined, nowMs);
}

type BegunLease = AuthorizationLease & { readonly intentId: Id<'paymentIntent'> };

function judgeBegun(request: LeaseSettle, lease: BegunLease, claimed: boolean, nowMs: number): LeaseStep {
  const { intentId, call, answer } = lease;
  const isSame = isSameTerms(lease, request);
  // Whoever signs two amounts with one nonce must not get the dearer goods for the cheaper payment.
  if (claimed && !isSame) return { does: 'repeat', intentId };
  if (answer === null && !isAnswerLost(lease, nowMs, MAX_SETTLE_ANSWER_MS + ANSWER_GRACE_MS)) {
    return { does: 'wait', intentId };
  }
  // Nothing was taken by the other message, so this one is as good: the claim says which of them the chain executes.
  if (!isSame) return { does: 'begin', call: call + 1 };
  // An answer before the claim was a refusal: nothing was taken, and the settlement may be tried again.
  return answer === 'arrived' && claimed ? { does: 'repeat', intentId } : { does: 'join', call: call + 1, intentId };
}

type Asked = Pick<LeasedTerms, 'amount' | 'recipient'>;

export const isSameTerms = (one: Asked, other: Asked): boolean =>
  one.amount === other.amount && sameAddress(one.recipient, other.recipient);
