// Port of the watchers of held payments and open authorizations to a chain. Answers are in the order given and come from
// a quorum of nodes, each at its own finalized height.
import type { Rate } from '@svc-pay/money';
import type { NetworkId } from '@svc-pay/protocol';
import type { PageLimits } from '../watch/page-limits.ts';
import type { AuthorizationOutcome, TracedAuthorization } from './authorization-outcome.ts';
import type { ClaimedPayment, OpenAuthorization } from './stranded-store.ts';

export type HeldPayment = ClaimedPayment & {
  /** Every transaction ever signed for the payment. */
  readonly signedTransactionIds: readonly string[];
  /** Transaction of the mined batch that has the payment; undefined when no mined batch has it. */
  readonly recordedTransactionId: string | undefined;
};

export type HeldVerdict =
  /** The authorization is unused and the intent unsettled: nothing blocks the payment any more. */
  | { readonly verdict: 'free' }
  | { readonly verdict: 'taken'; readonly outcome: AuthorizationOutcome }
  /** Not final yet, or the nodes contradict each other. */
  | { readonly verdict: 'undecided' }
  /** No transaction of ours has the payment, and the chain cannot be searched for another one. */
  | { readonly verdict: 'untraceable' };

/** Answers of one page: every payment is judged at the same finalized heights. */
export type HeldReader = {
  readonly judge: (payments: readonly HeldPayment[]) => Promise<readonly HeldVerdict[]>;
};

/** `over`: unused in a final block past its last second. `open`: unused so far, or the nodes contradict each other. */
export type AuthorizationState = 'used' | 'over' | 'open';

/** Answers of one run: every page is read at the same finalized heights. */
export type AuthorizationReader = {
  /** A final block is past this second; 0 where time does not end an authorization. */
  readonly finalizedTimeSeconds: bigint;
  /**
   * `quorum`: by a quorum, because closing is irreversible. `first`: by the first node that answers, because a use that
   * one node reports is traced at every node.
   */
  readonly readStates: (
    authorizations: readonly OpenAuthorization[],
    nodes: 'quorum' | 'first',
  ) => Promise<readonly AuthorizationState[]>;
  /** Undefined where the nodes contradict each other. */
  readonly traceOutcomes: (
    traced: readonly TracedAuthorization[],
  ) => Promise<readonly (AuthorizationOutcome | undefined)[]>;
};

export type AuthorizationLimits = Omit<PageLimits, 'maxPages'> & {
  /** Most pages of expired authorizations in one run. */
  readonly expiredPages: number;
  /** Most pages of authorizations that are still valid in one run; the next run continues after them. */
  readonly validPages: number;
  /** Most authorizations that one call traces. */
  readonly tracedAtOnce: number;
};

export type AuthorizationChain = {
  readonly network: NetworkId;
  readonly gasCoin: Rate | undefined;
  readonly limits: { readonly held: PageLimits; readonly authorizations: AuthorizationLimits };
  /** Reads the finalized heights, where the family needs them: a silent chain fails the run here, not at each payment. */
  readonly readHeld: () => Promise<HeldReader>;
  readonly readAuthorizations: () => Promise<AuthorizationReader>;
};
