// Names the transaction that carries a pending payment. The link follows the truth: another transaction of the batch, none
// when the payment has left its batch.
import type { Snapshot } from './payment-events.ts';

export type PaymentLink = {
  /** Null: no transaction that can still be mined carries the payment. */
  readonly transactionId: string | null;
  /** Set while a block has the transaction. */
  readonly transactionSplitId: string | null;
};

export const NO_LINK: PaymentLink = { transactionId: null, transactionSplitId: null };

export function linkPayment({ intent, payment }: Snapshot, link: PaymentLink): Snapshot {
  if (payment === null) throw new Error(`intent ${intent.id} has no payment to link`);
  return { intent, payment: { ...payment, ...link } };
}

/** The steps of one change. A payment that ends by a transaction that it does not name yet names it first. */
export function stepsTo(before: Snapshot, after: Snapshot): readonly Snapshot[] {
  const { payment: now } = after;
  if (before.payment === null || now === null || now.transactionId === null) return [after];
  if (now.transactionId === before.payment.transactionId || now.status === before.payment.status) return [after];
  return [linkPayment(before, { transactionId: now.transactionId, transactionSplitId: null }), after];
}
