// What is written for a payment that is restored: it is claimed, authorized, pending, and in the batch of its
// transaction, as the API and a lane write it between header and receipt.
import type { EventDraft } from '../event/event-draft.ts';
import type { Intent } from '../intent/intent.ts';
import type { SignedTransfer } from '../payment/signed-transfer.ts';
import type { CarriedPayment } from './on-chain-transaction.ts';

export type RestoredRows = {
  /** Addresses are written as in the token catalogue and the acceptance. */
  readonly carried: Omit<CarriedPayment, 'intentCode'> & { readonly transfer?: SignedTransfer };
  /** The intent with its new status and terms; the payment becomes the intent's payment. */
  readonly intent: Intent;
  readonly confirmations: number;
  readonly tokenShortcode: string;
  readonly events: readonly EventDraft[];
};
