// One example body per event type, made by the code that writes real ones: a change of state, the events it causes, and
// their frozen body. Only ids are fixed afterwards, so that the page stays the same.
import { draftEvents, eventsFor, type Intent, type Snapshot, type StoredPayment, useExplorers } from '@svc-pay/core';
import { sampleIntent, samplePayment } from '@svc-pay/core/testing';
import { atomicAmount } from '@svc-pay/money';
import { type EventType, UPTO_CAP_METADATA_KEY, type WebhookEvent } from '@svc-pay/protocol';
import type { Id } from '@svc-pay/protocol/ids';

const BORN_MS = 1_794_744_000_000;
const TRANSACTION = `0x${'9c'.repeat(32)}`;

const intent = sampleIntent({
  id: 'pi_0k7m8x2c5v9b1n3q4r6t8w0y2z' as Id<'paymentIntent'>,
  accountId: 'acct_0k7m8x2c5v9b1n3q4r6t8w0y2a' as Id<'account'>,
  ledgerId: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  description: 'Order A-7',
  createdAtMs: BORN_MS,
  expiresAtMs: BORN_MS + 86_400_000,
});
const processing: Intent = { ...intent, status: 'processing' };
const confirmed: Intent = {
  ...intent,
  upto: true,
  confirmedPayer: `0x${'a1'.repeat(20)}`,
  serviceMetadata: { [UPTO_CAP_METADATA_KEY]: '1500000' },
};
const claimed = samplePayment({
  id: 'pay_0k7m8x2c5v9b1n3q4r6t8w0y2b' as Id<'payment'>,
  asset: intent.ledgerId,
  payer: `0x${'a1'.repeat(20)}`,
  settlementNumber: 77,
  createdAtMs: BORN_MS + 2_000,
});
const linked: StoredPayment = { ...claimed, transactionId: TRANSACTION };
const told: StoredPayment = { ...linked, announced: true };
const completed: StoredPayment = {
  ...told,
  status: 'completed',
  paidAmount: atomicAmount(1_500_000n),
  feeAmount: atomicAmount(15_000n),
  splits: [{ recipient: `0x${'5b'.repeat(20)}`, amount: atomicAmount(75_000n) }],
  returnedAmount: atomicAmount(0n),
  refundedAmount: null,
  transactionSplitId: `${TRANSACTION}:12`,
  completedAtMs: BORN_MS + 4_000,
};
useExplorers(new Map([[claimed.network, 'https://sepolia.basescan.org/tx/{transactionId}']]));
const at = (payment: StoredPayment | null, of: Intent = processing): Snapshot => ({ intent: of, payment });

/** A change that causes each type. The update is one that matters: a chain that took a completed payment back. */
const CHANGES: Readonly<Record<EventType, readonly [Snapshot | undefined, Snapshot]>> = {
  'payment_intent.created': [undefined, at(null, intent)],
  x402_upto_authorization_received: [at(null, { ...intent, upto: true }), at(null, confirmed)],
  'payment_intent.canceled': [at(null, intent), at(null, { ...intent, status: 'canceled' })],
  'payment.created': [at(claimed), at(linked)],
  'payment.updated': [at(completed, { ...intent, status: 'completed' }), at(told)],
  'payment.completed': [at(told), at(completed, { ...intent, status: 'completed' })],
  'payment.failed': [at(told), at({ ...told, status: 'failed', failureCode: 'insufficient_funds' }, intent)],
  'payment.cancelled': [at({ ...claimed, announced: true }), at({ ...claimed, announced: true, status: 'canceled' })],
  'payment.refunded': [at(completed), at({ ...completed, status: 'refunded' }, { ...intent, status: 'completed' })],
};

export function exampleOf(type: EventType): WebhookEvent {
  const [before, after] = CHANGES[type];
  const caused = eventsFor(before, after).filter((event) => event.type === type);
  const origin = { requestId: 'req_0k7m8x2c5v9b1n3q4r6t8w0y2c', idempotencyKey: null };
  const [draft] = draftEvents(caused, after, origin, BORN_MS + 5_000, 0);
  if (draft === undefined) throw new Error(`that change does not cause ${type}`);
  const body = JSON.parse(`${draft.bodyBefore}1${draft.bodyAfter}`) as WebhookEvent;
  return { ...body, id: 'evt_0k7m8x2c5v9b1n3q4r6t8w0y2d' };
}
