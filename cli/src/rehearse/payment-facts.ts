// Everything that is known of one payment of a rehearsal: what was asked, what the API says, what the chain says.
import type { Payment } from '@svc-pay/protocol';
import type { EventSummary } from '@svc-pay/protocol/merchant';
import type { ExportedEntry, ExportedPayment } from '@svc-pay/server';
import type { SeenReceipt, Transfer } from './chain-facts.ts';
import type { PaymentFlow } from './journal.ts';

export type AskedPayment = {
  readonly flow: PaymentFlow;
  readonly paymentIntentId: string;
  /** By which the chain knows the intent. */
  readonly intentCode: number;
  readonly token: string;
  readonly decimals: number;
  readonly payer: string;
  /** Who the payer signed to: the processor, or the merchant's wallet. */
  readonly payTo: string;
  /** What the payer signed: the price, or the cap. */
  readonly signedAtomic: bigint;
  /** What the merchant takes of it. */
  readonly chargedAtomic: bigint;
};

/** Balances of one party over the block of the payment. */
export type PartyBalance = {
  readonly party: string;
  readonly beforeAtomic: bigint;
  readonly afterAtomic: bigint;
};

export type PaymentFacts = {
  readonly asked: AskedPayment;
  readonly payment: Payment;
  readonly events: readonly EventSummary[];
  readonly bookings: readonly ExportedPayment[];
  readonly entries: readonly ExportedEntry[];
  readonly receipt: SeenReceipt;
  /** Of every party, over the block. */
  readonly balances: readonly PartyBalance[];
  /** Every transfer of the token in the block. */
  readonly blockTransfers: readonly Transfer[];
};
