// What settling asks of the world.
import type { Authorization, NetworkId } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type { Id } from '@svc-pay/protocol/ids';
import type { Caller } from '../account/authenticate.ts';
import type { Clock } from '../clock.ts';
import type { IdempotencyClaim } from '../idempotency/stored-answer.ts';
import type { MerchantSetup } from '../intent/merchant-setup.ts';
import type { AuthorizationKind, ClaimPayment } from './claim-payment.ts';
import type { SettlementRead } from './settlement-read.ts';
import type { SignedTransfer } from './signed-transfer.ts';
import type { StoredAcceptance } from './stored-acceptance.ts';
import type { SentTransfer } from './transfer-ports.ts';
import type { VerifiedTerms } from './verify-terms.ts';

/** An authorization as it was sent, on the network that its header names. */
export type SentAuthorization = Authorization & { readonly network: NetworkId };

/** What was sent to be settled. */
export type SentPayment = SentAuthorization | SentTransfer;

export type AuthorizationVerdict =
  | {
      readonly ok: true;
      readonly kind: AuthorizationKind;
      readonly byContract: boolean;
      /** Where it goes in a transaction that names its relayer. */
      readonly transfer?: SignedTransfer;
      /** In 0x-hex, where the header spells it otherwise. */
      readonly signature?: string;
    }
  /** `chain_unavailable`: nothing is known, so nothing is refused. */
  | { readonly ok: false; readonly code: ErrorCode };

/** Whose header it is, and for what. */
export type HeaderPlace = { readonly caller: Caller; readonly intentId: Id<'paymentIntent'> };

export type RefusedAttempt = {
  readonly caller: Caller;
  readonly intentId: Id<'paymentIntent'>;
  readonly code: ErrorCode;
  /** Where reading stopped; never a part of what was sent. */
  readonly detail: string | null;
  readonly payer: string | null;
  readonly nowMs: number;
};

export type SettlePorts = {
  readonly clock: Clock;
  /** Longest wait for a payment's end; 0 answers at once. */
  readonly settleWaitMs: number;
  readonly loadMerchant: (caller: Caller) => Promise<MerchantSetup>;
  /** One snapshot of the caller's own intent of the caller's mode; undefined when there is none. */
  readonly loadSettlement: (
    caller: Caller,
    intentId: Id<'paymentIntent'>,
    sent: SentPayment | null,
  ) => Promise<SettlementRead | undefined>;
  readonly loadAcceptances: (caller: Caller, intentId: Id<'paymentIntent'>) => Promise<readonly StoredAcceptance[]>;
  /** Asks the chain. Never throws for trouble on the way there. */
  readonly verifyAuthorization: (terms: VerifiedTerms, place: HeaderPlace) => Promise<AuthorizationVerdict>;
  /** What the chain itself holds unique about an authorization, for `claimKey`. */
  readonly uniquePartOf: (terms: VerifiedTerms) => string;
  readonly claimPayment: ClaimPayment;
  /** Whose a claim is, seen from this intent; undefined when nobody took it. */
  readonly findClaim: (
    caller: Caller,
    intentId: Id<'paymentIntent'>,
    claimKey: Uint8Array,
  ) => Promise<'here' | 'elsewhere' | undefined>;
  /** Keeps a refusal for the merchant to read; bounded per intent, so that a stranger can't fill the log. */
  readonly recordAttempt: (attempt: RefusedAttempt) => Promise<void>;
  /** Whether this idempotency key stands for another request. */
  readonly isKeyReused: (caller: Caller, claim: IdempotencyClaim) => Promise<boolean>;
  /** From now on the key stands for this request. It holds no answer: settle makes its answers from rows. */
  readonly bindKey: (caller: Caller, claim: IdempotencyClaim, nowMs: number) => Promise<void>;
  /** Tells the lanes of a network that something waits. Returns at once and never throws. */
  readonly wakeLanes: (network: NetworkId) => void;
  /**
   * Resolves true when the payment may have ended, false when the time is up or the process is stopping. Holds no
   * connection meanwhile.
   */
  readonly awaitEnd: (payment: AwaitedPayment, timeoutMs: number) => Promise<boolean>;
};

export type AwaitedPayment = {
  readonly caller: Caller;
  readonly intentId: Id<'paymentIntent'>;
  readonly paymentId: Id<'payment'>;
};
