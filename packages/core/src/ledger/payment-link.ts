// What a link of a payment to a transaction changes: the payment, and the events that tell the merchant of it. A store reads
// the rows, asks here, and writes the drafts in one transaction.
import type { EventDraft } from '../event/event-draft.ts';
import type { LaneItem } from '../lane/lane.ts';
import type { FoundBatch } from '../lane/lane-store.ts';
import { linkPayment, type PaymentLink } from '../payment/link-payment.ts';
import { draftSteps, type Snapshot } from '../payment/payment-events.ts';
import { PAYMENT_STATUS } from '../payment/payment-transitions.ts';
import type { ResultOrigin, SnapshotToChange } from './payment-result.ts';

/** `requestId` is the id of the batch that the payment is in, or leaves. */
export type LinkedItem = {
  readonly item: Pick<LaneItem, 'accountId' | 'mode' | 'paymentId' | 'intentId'>;
  readonly link: PaymentLink;
  readonly requestId: string;
};

export type PaymentLinkDraft = {
  readonly after: Snapshot & { readonly payment: NonNullable<Snapshot['payment']> };
  /** The intent's version when it was read; it must not have changed when the link is written. */
  readonly version: number;
  readonly events: readonly EventDraft[];
};

/** Undefined when nothing changes: the payment names the transaction already, has its result, or is not the intent's. */
export function linkDraft(
  read: SnapshotToChange | undefined,
  { item, link }: Pick<LinkedItem, 'item' | 'link'>,
  { requestId, nowMs }: ResultOrigin,
): PaymentLinkDraft | undefined {
  const payment = read?.payment;
  if (read === undefined || payment?.id !== item.paymentId || payment.status !== PAYMENT_STATUS.pending)
    return undefined;
  const isSame = payment.transactionId === link.transactionId && payment.transactionSplitId === link.transactionSplitId;
  if (isSame) return undefined;
  const origin = { requestId, idempotencyKey: null };
  const { after, events } = draftSteps(read, [linkPayment(read, link)], origin, nowMs, read.eventSequence);
  if (after.payment === null) throw new Error(`intent ${after.intent.id} lost its payment`);
  return { after: { ...after, payment: after.payment }, version: read.version, events };
}

/** Every payment of the batches names the transaction in the block; those that it settled name their position too. */
export function seenLinks(found: readonly FoundBatch[]): readonly LinkedItem[] {
  return found.flatMap(({ batch, mined: { transactionId, items } }) =>
    batch.items.flatMap((item, index) => {
      if (item.refund !== undefined) return [];
      const part = items[index];
      const at = part?.outcome === 'settled' ? `${transactionId}:${part.logIndex}` : null;
      return [{ item, link: { transactionId, transactionSplitId: at }, requestId: batch.id }];
    }),
  );
}
