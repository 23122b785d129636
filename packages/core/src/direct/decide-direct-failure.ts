// Decides when a direct payment fails without a log that ends it: when nobody can use its authorization any more, and it is
// certain that nobody has.
import type { ErrorCode } from '@svc-pay/protocol/errors';
import { type SettlementStatus, UNSENT_SETTLEMENT } from '../settlement/settlement-transitions.ts';

export type ExpiryFacts = {
  readonly settlement: SettlementStatus;
  readonly validBeforeSeconds: bigint;
  /** What a quorum says at a finalized block: unused there and past its last second, used, or neither. */
  readonly state: 'over' | 'used' | 'open';
  /** Time of the block up to which the token's logs are read; undefined when the token is not read. */
  readonly readUntilSeconds: bigint | undefined;
  /** A log about the authorization is read and not applied yet. */
  readonly hasUnappliedLog: boolean;
  /** Why the chain refused the payment last. */
  readonly refusal: ErrorCode | null;
};

/** The code with which the payment fails now; undefined while it may still be paid, or a lane has it. */
export function decideDirectFailure(facts: ExpiryFacts): ErrorCode | undefined {
  const { settlement, state, readUntilSeconds, validBeforeSeconds } = facts;
  if (!UNSENT_SETTLEMENT.some((status) => status === settlement)) return undefined;
  if (state !== 'over' || facts.hasUnappliedLog) return undefined;
  // The token takes an authorization only in a block before `validBefore`.
  if (readUntilSeconds === undefined || readUntilSeconds < validBeforeSeconds) return undefined;
  return facts.refusal ?? 'authorization_expired';
}
