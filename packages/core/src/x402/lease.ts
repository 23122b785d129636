// Lease of an authorization: the right of one call of a seller to use it. A verify takes it, so that one payload never runs
// two handlers; a settle goes on with it. Whether the authorization is spent is told by its claim alone.
import type { Authorization } from '@svc-pay/protocol';
import type { Id } from '@svc-pay/protocol/ids';
import type { Mode } from '../account/mode.ts';

/**
 * What became of the answer of the lease's call. `arrived`: it was written to the connection as a whole. `lost`: the
 * connection ended before. `pending`: it said that the settlement goes on, so the same settle is expected again.
 * `unclaimed`: a settle ended before anything was claimed, or was spared from its rate limit.
 */
export const ANSWER_MARKS = ['arrived', 'lost', 'pending', 'unclaimed'] as const;
export type AnswerMark = (typeof ANSWER_MARKS)[number];

/** Who has an authorization. */
export type LeaseHolder = { readonly accountId: Id<'account'>; readonly mode: Mode };

/** What a lease is about: a payer may sign several messages with one nonce, of which the chain executes one. */
export type LeasedTerms = {
  readonly recipient: string;
  readonly amount: bigint;
  readonly validBeforeSeconds: bigint;
};

export type AuthorizationLease = LeaseHolder &
  LeasedTerms & {
    /** Counts the calls that took the lease; the fence of every write. */
    readonly call: number;
    readonly callAtMs: number;
    /** Null while nothing is known about the answer of that call. */
    readonly answer: AnswerMark | null;
    /** The intent that a settle made; null before the first one. */
    readonly intentId: Id<'paymentIntent'> | null;
  };

/** The claim of the authorization. */
export type LeaseClaim = LeaseHolder & { readonly intentId: Id<'paymentIntent'> };

export type LeaseFacts = {
  readonly lease: AuthorizationLease | undefined;
  readonly claim: LeaseClaim | undefined;
};

export function leasedTermsOf({
  to,
  value,
  validBefore,
}: Pick<Authorization, 'to' | 'value' | 'validBefore'>): LeasedTerms {
  return { recipient: to, amount: BigInt(value), validBeforeSeconds: BigInt(validBefore) };
}

/** From then on the chain refuses the authorization that was leased. */
export function hasLeaseEnded({ validBeforeSeconds }: LeasedTerms, nowMs: number): boolean {
  return validBeforeSeconds * 1_000n <= BigInt(nowMs);
}

export function isHolder(one: LeaseHolder, other: LeaseHolder): boolean {
  return one.accountId === other.accountId && one.mode === other.mode;
}
