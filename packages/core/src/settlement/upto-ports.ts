// Ports of up-to payments, in addition to those of settle.
import type { Id } from '@svc-pay/protocol/ids';
import type { Caller } from '../account/authenticate.ts';
import type { Origin } from '../event/event-draft.ts';
import type { PaymentClaim } from '../payment/claim-payment.ts';
import type { OpenCapLimits } from '../quota/unsettled-limits.ts';
import type { UptoRefusal } from './judge-upto-settlement.ts';
import type { SettlePorts, SubmittedAuthorization } from './settle-ports.ts';
import type { UptoRead } from './upto-read.ts';

export type Confirmation = Omit<PaymentClaim, 'paymentId' | 'unsettledLimit'> & {
  readonly origin: Origin;
  /** Absent: any number of caps may be open. */
  readonly openCaps?: OpenCapLimits;
};

export type ConfirmationOutcome =
  | 'confirmed'
  /** This authorization was confirmed before for this intent. */
  | 'confirmed_before'
  | 'bound_elsewhere'
  /** Another authorization is confirmed on the intent. */
  | 'other_confirmed'
  /** The payer, or the account, has too many authorizations that a chain may still execute. */
  | 'too_many_open'
  | 'intent_taken';

export type UptoOrder = {
  readonly caller: Caller;
  readonly intentId: Id<'paymentIntent'>;
  readonly settledAtomic: bigint;
  readonly requestId: string;
};

export type BegunUpto =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: UptoRefusal | 'not_found' }
  /** `delivered`: the request may have reached settlement, which did not answer and may have begun the payment. */
  | { readonly ok: false; readonly code: 'service_unavailable'; readonly delivered: boolean };

export type UptoPorts = Pick<
  SettlePorts,
  | 'clock'
  | 'settleWaitMs'
  | 'families'
  | 'networks'
  | 'isPayerDenied'
  | 'findHourlyCaps'
  | 'loadAcceptances'
  | 'loadWalletBudget'
  | 'findClaim'
  | 'recordAttempt'
  | 'isKeyReused'
  | 'bindKey'
  | 'wakeLanes'
  | 'awaitResult'
> & {
  /** One snapshot of the caller's own intent of the caller's mode; undefined when there is none. */
  readonly loadUpto: (
    caller: Caller,
    intentId: Id<'paymentIntent'>,
    authorization: SubmittedAuthorization | null,
  ) => Promise<UptoRead | undefined>;
  /** Absent: any number of caps may be open. */
  readonly openCaps?: OpenCapLimits;
  /** One commit: the claim, the authorization, the intent's cap and expiry, and the event. */
  readonly recordConfirmation: (confirmation: Confirmation) => Promise<ConfirmationOutcome>;
  /** Calls settlement, the only writer of up-to settlements. Safe to repeat with the same amount. */
  readonly beginUpto: (order: UptoOrder) => Promise<BegunUpto>;
};
