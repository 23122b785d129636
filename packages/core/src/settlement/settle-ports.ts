// Ports of settle: database, chain, clock and lanes.
import type { Authorization, NetworkId } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type { Id } from '@svc-pay/protocol/ids';
import type { Caller } from '../account/authenticate.ts';
import type { Clock } from '../clock.ts';
import type { IdempotencyClaim } from '../idempotency/stored-answer.ts';
import type { StoredAcceptance } from '../intent/stored-acceptance.ts';
import type { AuthorizationKind, ClaimPayment } from '../payment/claim-payment.ts';
import type { SignedTransfer } from '../payment/signed-transfer.ts';
import type { VerifiedTerms } from '../payment/verify-terms.ts';
import type { NetworkSetup } from '../payout/merchant-setup.ts';
import type { HourlyCap } from '../token/hourly-caps.ts';
import type { SettlementRead } from './settlement-read.ts';
import type { SubmittedTransfer } from './transfer-ports.ts';

/** An authorization as submitted, on the network that its header names. */
export type SubmittedAuthorization = Authorization & { readonly network: NetworkId };

/** A payment as submitted: an authorization or a signed transaction. */
export type SubmittedPayment = SubmittedAuthorization | SubmittedTransfer;

export type AuthorizationVerdict =
  | {
      readonly ok: true;
      readonly kind: AuthorizationKind;
      readonly byContract: boolean;
      /** Set where the transaction that carries the authorization names its relayer. */
      readonly transfer?: SignedTransfer;
      /** The signature in 0x-hex, where the header encodes it otherwise. */
      readonly signature?: string;
    }
  /** `chain_unavailable`: nothing is known, so nothing is refused. */
  | { readonly ok: false; readonly code: ErrorCode };

/** The caller and the intent of a header. */
export type HeaderContext = { readonly caller: Caller; readonly intentId: Id<'paymentIntent'> };

export type RefusedAttempt = {
  readonly caller: Caller;
  readonly intentId: Id<'paymentIntent'>;
  readonly code: ErrorCode;
  /** Where reading stopped; never contains submitted data. */
  readonly detail: string | null;
  readonly payer: string | null;
  readonly nowMs: number;
};

export type SettlePorts = {
  readonly clock: Clock;
  /** Longest wait for a payment result; 0 answers at once. */
  readonly settleWaitMs: number;
  readonly networks: ReadonlyMap<string, NetworkSetup>;
  /** Hourly caps of the processors by token, as far as they were read. */
  readonly findHourlyCaps: () => Promise<readonly HourlyCap[]>;
  /** One snapshot of the caller's own intent of the caller's mode; undefined when there is none. */
  readonly loadSettlement: (
    caller: Caller,
    intentId: Id<'paymentIntent'>,
    submitted: SubmittedPayment | null,
  ) => Promise<SettlementRead | undefined>;
  readonly loadAcceptances: (caller: Caller, intentId: Id<'paymentIntent'>) => Promise<readonly StoredAcceptance[]>;
  /** Asks the chain. Never throws when the chain can't be reached. */
  readonly verifyAuthorization: (terms: VerifiedTerms, context: HeaderContext) => Promise<AuthorizationVerdict>;
  /** The part of an authorization that the chain keeps unique, for `claimKey`. */
  readonly uniquePartOf: (terms: VerifiedTerms) => string;
  readonly claimPayment: ClaimPayment;
  /** Whether this intent or another one has the claim; undefined when it is not taken. */
  readonly findClaim: (
    caller: Caller,
    intentId: Id<'paymentIntent'>,
    claimKey: Uint8Array,
  ) => Promise<'here' | 'elsewhere' | undefined>;
  /** Stores a refusal for the merchant to read; bounded per intent, so that a stranger can't fill the log. */
  readonly recordAttempt: (attempt: RefusedAttempt) => Promise<void>;
  /** Whether this idempotency key is bound to another request. */
  readonly isKeyReused: (caller: Caller, claim: IdempotencyClaim) => Promise<boolean>;
  /** Binds the key to this request. No answer is stored: settle makes its answers from rows. */
  readonly bindKey: (caller: Caller, claim: IdempotencyClaim, nowMs: number) => Promise<void>;
  /** Wakes the lanes of a network. Returns at once and never throws. */
  readonly wakeLanes: (network: NetworkId) => void;
  /**
   * Resolves true when the payment may have a result, false when the time is up or the process is stopping. Uses no
   * database connection while it waits.
   */
  readonly awaitResult: (payment: AwaitedPayment, timeoutMs: number) => Promise<boolean>;
};

export type AwaitedPayment = {
  readonly caller: Caller;
  readonly intentId: Id<'paymentIntent'>;
  readonly paymentId: Id<'payment'>;
};
