// Database port of the watcher of direct authorizations.
import type { NetworkId } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type { AuthorizationCursor, AuthorizationKey, OpenAuthorization } from '../stranded/stranded-store.ts';
import type { ExpiryFacts } from './decide-direct-failure.ts';

/** A direct authorization that can still move money as far as we know, with its claim or with its refusal. */
export type OpenDirect = OpenAuthorization & {
  /** It is a refusal: `settlement` and `paymentId` are null. */
  readonly refused: boolean;
  /** A payment has claimed it. A refusal is closed then: the claim is watched by itself, and its use is the claim's. */
  readonly claimed: boolean;
  readonly bound: boolean;
  /** The block at which it was seen unused; null if none is stored. */
  readonly unusedAtBlock: bigint | null;
  /** Why the chain refused its payment last. */
  readonly refusal: ErrorCode | null;
  /** The merchant must say whether a receipt was for it. */
  readonly heldForMerchant: boolean;
  /** A reorg cannot reverse the result of its settlement any more: no batch carried it that is mined and not final. */
  readonly isResultFinal: boolean;
  /** A log about it is read and not applied yet. */
  readonly hasUnappliedLog: boolean;
};

export type DirectStore = {
  /** Open direct authorizations after the cursor that expire before `beforeSeconds`, in order of expiry. */
  readonly loadOpenDirect: (
    network: NetworkId,
    after: AuthorizationCursor,
    beforeSeconds: bigint,
    limit: number,
  ) => Promise<readonly OpenDirect[]>;
  /** The same for authorizations that were refused. */
  readonly loadOpenRefused: (
    network: NetworkId,
    after: AuthorizationCursor,
    beforeSeconds: bigint,
    limit: number,
  ) => Promise<readonly OpenDirect[]>;
  readonly closeDirect: (over: readonly AuthorizationKey[], nowMs: number) => Promise<void>;
  readonly closeRefused: (claimKeys: readonly Uint8Array[], nowMs: number) => Promise<void>;
  /**
   * One transaction: decides by `decideDirectFailure` on the rows as they are under their locks, and fails the payment.
   * Undefined, with nothing written, when it does not fail now.
   */
  readonly failExpired: (
    payment: OpenDirect,
    facts: Pick<ExpiryFacts, 'state' | 'readUntilSeconds'>,
    nowMs: number,
  ) => Promise<ErrorCode | undefined>;
  /** One transaction: the same for a payment whose authorization is used, and whose use was read and is not the payment. */
  readonly failUsed: (payment: OpenDirect, nowMs: number) => Promise<boolean>;
  /** Queues a held payment again. False, and nothing changes, for one with a refusal, or that the merchant must decide on. */
  readonly queueAgain: (payment: OpenDirect, nowMs: number) => Promise<boolean>;
};
