// What up-to payments ask of the world, beside what settling does.
import type { Id } from '@svc-pay/protocol/ids';
import type { Caller } from '../account/authenticate.ts';
import type { Origin } from '../event/event-draft.ts';
import type { NetworkSetup } from '../intent/merchant-setup.ts';
import type { PaymentClaim } from '../settle/claim-payment.ts';
import type { SentAuthorization, SettlePorts } from '../settle/settle-ports.ts';
import type { UptoRefusal } from './judge-settlement.ts';
import type { UptoRead } from './upto-read.ts';

export type Confirmation = Omit<PaymentClaim, 'paymentId'> & { readonly origin: Origin };

export type ConfirmationOutcome =
  | 'confirmed'
  /** This authorization was taken before for this intent. */
  | 'confirmed_before'
  | 'bound_elsewhere'
  /** Another authorization holds the intent. */
  | 'other_confirmed'
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
  /** `sent`: nobody answered, and it may have been begun. */
  | { readonly ok: false; readonly code: 'service_unavailable'; readonly sent: boolean };

export type UptoPorts = Pick<
  SettlePorts,
  | 'clock'
  | 'settleWaitMs'
  | 'loadMerchant'
  | 'loadAcceptances'
  | 'verifyAuthorization'
  | 'uniquePartOf'
  | 'findClaim'
  | 'recordAttempt'
  | 'isKeyReused'
  | 'bindKey'
  | 'wakeLanes'
  | 'awaitEnd'
> & {
  readonly networks: ReadonlyMap<string, NetworkSetup>;
  /** One snapshot of the caller's own intent of the caller's mode; undefined when there is none. */
  readonly loadUpto: (
    caller: Caller,
    intentId: Id<'paymentIntent'>,
    authorization: SentAuthorization | null,
  ) => Promise<UptoRead | undefined>;
  /** One commit: the claim, the authorization, the cap and the window's end on the intent, and the event. */
  readonly recordConfirmation: (confirmation: Confirmation) => Promise<ConfirmationOutcome>;
  /** Asks settlement, which alone writes up-to settlements. Safe to repeat with the same amount. */
  readonly beginUpto: (order: UptoOrder) => Promise<BegunUpto>;
};
