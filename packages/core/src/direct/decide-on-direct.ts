// Decides what is done with an open direct authorization, by what a quorum says of it at a finalized block.

import { SETTLEMENT_STATUS } from '../settlement/settlement-transitions.ts';
import type { AuthorizationState } from '../stranded/authorization-chain.ts';
import { hasResult } from '../stranded/judge-authorization.ts';
import type { OpenDirect } from './direct-store.ts';

export type DirectSight = {
  /** Undefined where it was not asked for. */
  readonly state: AuthorizationState | undefined;
  /** A finalized block is past its last second. */
  readonly isExpired: boolean;
  /** Time of the block up to which the token's logs are read; undefined when the token is not read. */
  readonly readUntilSeconds: bigint | undefined;
  /** Time of the finalized block at which it was first found used: the log of its use is not later. */
  readonly usedAtSeconds: bigint | undefined;
  /** Its logs were read once more since it was found used. */
  readonly wasReadAgain: boolean;
};

export type DirectDecision =
  | 'leave'
  /** It can move no money any more, or its use is known. */
  | 'close'
  /** A lane may send it again: what it was held for is not on the chain any more, or was never final. */
  | 'queue_again'
  /** The payment fails if the rows under their lock say so too. */
  | 'fail_expired'
  /** The reader may have passed its use before it was claimed or refused here. */
  | 'read_again'
  | 'fail_used'
  /** A person must look. */
  | 'report';

const HAS_LANE: readonly (string | null)[] = [SETTLEMENT_STATUS.batched, SETTLEMENT_STATUS.mined];

const isClaimedSince = (row: OpenDirect): boolean => row.refused && row.claimed;

const isLeft = (row: OpenDirect): boolean =>
  HAS_LANE.includes(row.settlement) || row.hasUnappliedLog || row.heldForMerchant;

/** Whether the chain must be asked. A payment in the queue is a lane's until it expires. */
export function needsState(row: OpenDirect, isExpired: boolean): boolean {
  if (isClaimedSince(row) || hasResult(row) || isLeft(row)) return false;
  return isExpired || row.settlement !== SETTLEMENT_STATUS.queued;
}

export function decideOnDirect(row: OpenDirect, sight: DirectSight): DirectDecision {
  const { state, isExpired, readUntilSeconds, usedAtSeconds, wasReadAgain } = sight;
  if (isClaimedSince(row)) return 'close';
  // A reorg may have removed the batch that completed it, with nobody having noticed yet. Reversed, the payment is held, and
  // this watch alone ends it: found by simulation, where it was closed before and held for ever.
  if (hasResult(row)) return isExpired && row.isResultFinal ? 'close' : 'leave';
  if (isLeft(row)) return 'leave';
  const isReadToItsEnd = readUntilSeconds !== undefined && readUntilSeconds >= row.validBeforeSeconds;
  if (state === 'over') {
    if (!isReadToItsEnd) return 'leave';
    return row.refused ? 'close' : 'fail_expired';
  }
  // A reorg may have removed the use that a lane saw. While the use is in the chain and not final, a lane finds it again.
  if (state === 'open' && row.settlement === SETTLEMENT_STATUS.held && row.refusal === null && !isExpired)
    return 'queue_again';
  if (state !== 'used' || readUntilSeconds === undefined || usedAtSeconds === undefined) return 'leave';
  // Tokens are read with a delay. Only past the block at which it was used can a log be missing. Blocks of one second have the
  // same time (Arbitrum; Anvil after a pause), so the cursor must be at a later second: found by chaos, where the cursor stood
  // one block before the use, in the same second, and a paid payment failed.
  if (readUntilSeconds <= usedAtSeconds) return 'leave';
  // Every use of a bound nonce of ours is kept: this one was applied before the claim, and was no payment.
  if (row.bound && !row.refused) return 'fail_used';
  if (!wasReadAgain) return row.unusedAtBlock === null ? 'report' : 'read_again';
  return row.refused ? 'close' : 'report';
}
