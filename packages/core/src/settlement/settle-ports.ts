// Ports of settle: database, chain families, clock and lanes.

import type { Usd } from '@svc-pay/money';
import type { Authorization, NetworkId } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type { Id } from '@svc-pay/protocol/ids';
import type { Caller } from '../account/authenticate.ts';
import type { BudgetParty } from '../budget/gas-budget.ts';
import type { WalletBudget } from '../budget/judge-wallet.ts';
import type { Clock } from '../clock.ts';
import type { IdempotencyClaim } from '../idempotency/stored-answer.ts';
import type { StoredAcceptance } from '../intent/stored-acceptance.ts';
import type { ClaimPayment } from '../payment/claim-payment.ts';
import type { QueueRefused, RecordRefused } from '../payment/refused-authorization.ts';
import type { NetworkSetup } from '../payout/merchant-setup.ts';
import type { HourlyCap } from '../token/hourly-caps.ts';
import type { PaymentFamily, SubmittedTransfer } from './payment-family.ts';
import type { PaymentProgress, SettlementRead } from './settlement-read.ts';

/** An authorization as submitted, on the network that its header names. */
export type SubmittedAuthorization = Authorization & { readonly network: NetworkId };

/** A payment as submitted: an authorization or a signed transaction. */
export type SubmittedPayment = SubmittedAuthorization | SubmittedTransfer;

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
  /** Chain families that payments are taken on. */
  readonly families: readonly PaymentFamily[];
  readonly networks: ReadonlyMap<string, NetworkSetup>;
  /** The operator refuses new payments of this payer. Answers from a cache. */
  readonly isPayerDenied: (payer: string) => boolean;
  /** Hourly caps of the processors by token, as far as they were read. */
  readonly findHourlyCaps: () => Promise<readonly HourlyCap[]>;
  /** One snapshot of the caller's own intent of the caller's mode; undefined when there is none. */
  readonly loadSettlement: (
    caller: Caller,
    intentId: Id<'paymentIntent'>,
    submitted: SubmittedPayment | null,
  ) => Promise<SettlementRead | undefined>;
  readonly loadAcceptances: (caller: Caller, intentId: Id<'paymentIntent'>) => Promise<readonly StoredAcceptance[]>;
  /** Gas budgets that bind a payment of a contract wallet. Not called for a signature by key. */
  readonly loadWalletBudget: (network: NetworkId, party: BudgetParty) => Promise<WalletBudget>;
  readonly claimPayment: ClaimPayment;
  /** What one payer may have pending in one token. Absent: any amount. */
  readonly unsettledPerPayer?: Usd;
  readonly recordRefused: RecordRefused;
  readonly queueRefused: QueueRefused;
  /** Whether this intent or another one has the claim; undefined when it is not taken. */
  readonly findClaim: (
    caller: Caller,
    intentId: Id<'paymentIntent'>,
    claimKey: Uint8Array,
  ) => Promise<'here' | 'elsewhere' | undefined>;
  /** The payment of a claim that this intent has; null where it has none. Finds also those that nobody submitted to us. */
  readonly loadClaimed: (
    caller: Caller,
    intentId: Id<'paymentIntent'>,
    claimKey: Uint8Array,
  ) => Promise<PaymentProgress | null>;
  /** Stores a refusal for the merchant to read; bounded per intent, so that a stranger can't fill the log. */
  readonly recordAttempt: (attempt: RefusedAttempt) => Promise<void>;
  /** Whether this idempotency key is bound to another request. */
  readonly isKeyReused: (caller: Caller, claim: IdempotencyClaim) => Promise<boolean>;
  /** Binds the key to this request. No answer is stored: settle makes its answers from rows. */
  readonly bindKey: (caller: Caller, claim: IdempotencyClaim, nowMs: number) => Promise<void>;
  /** Wakes the lanes of a network. Returns at once and never throws. */
  readonly wakeLanes: (network: NetworkId) => void;
  /**
   * The intent and its latest payment, if that is this payment and it has its result; undefined otherwise. Costs less than
   * `loadSettlement`, which says the same.
   */
  readonly loadResult: (payment: AwaitedPayment) => Promise<SettlementRead | undefined>;
  /** Notes changes of the intent until the returned function is called, so that `awaitResult` misses none before it. */
  readonly watchResult: (intentId: Id<'paymentIntent'>) => () => void;
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
  /** The wait goes on while the process is stopping, until requests are about to be cut off. */
  readonly outlastsStop?: boolean;
};
