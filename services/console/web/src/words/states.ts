// What each state means to a merchant, in one word and one sentence. The compiler holds each table complete.
import type { EventType, IntentStatus, PaymentStatus } from '@svc-pay/protocol';
import type { Delivery, DeliveryAttempt, Endpoint, EventReplay, RefundStatus } from '@svc-pay/protocol/merchant';

export type Tone = 'good' | 'wait' | 'bad' | 'note' | 'quiet';
export type StateWords = { readonly word: string; readonly why: string; readonly tone: Tone };

export const INTENT_WORDS: Readonly<Record<IntentStatus, StateWords>> = {
  requires_payment: {
    word: 'Waiting for payer',
    why: 'Nobody has paid yet. The payment can be made until it expires; then it is canceled by itself.',
    tone: 'note',
  },
  processing: {
    word: 'Under way',
    why: 'The payer has signed, and the service is settling the payment. Do not ask for it again: the outcome follows by itself.',
    tone: 'wait',
  },
  completed: { word: 'Paid', why: 'The money has arrived and is booked.', tone: 'good' },
  failed: {
    word: 'Failed',
    why: 'The last payment failed without moving money, and the time to pay is over. Ask for a new payment.',
    tone: 'bad',
  },
  canceled: {
    word: 'Canceled',
    why: 'You canceled it, or it expired unpaid. It can no longer be paid; money that still arrives waits for your decision.',
    tone: 'quiet',
  },
  mismatched: {
    word: 'Other amount',
    why: 'Another amount was paid than you asked for. The payer can still pay the rest; or you accept what came, or refund it.',
    tone: 'wait',
  },
};

export const PAYMENT_WORDS: Readonly<Record<PaymentStatus, StateWords>> = {
  pending: {
    word: 'Under way',
    why: 'The payment waits for its transaction. It counts as failed only when it is certain that no money can move.',
    tone: 'wait',
  },
  completed: { word: 'Paid', why: 'The money was moved to you and is booked.', tone: 'good' },
  failed: { word: 'Failed', why: 'No money moved. The payer may try again while the payment is open.', tone: 'bad' },
  canceled: { word: 'Canceled', why: 'The service never sent this payment, so it moved no money.', tone: 'quiet' },
  refunded: { word: 'Refunded', why: 'Refunds gave back all that was paid.', tone: 'note' },
  mismatched: {
    word: 'Other amount',
    why: 'The money is yours, and it is not what was asked for: another amount, or it came too late. Accept it or refund it.',
    tone: 'wait',
  },
};

export const REFUND_WORDS: Readonly<Record<RefundStatus, StateWords>> = {
  prepared: {
    word: 'Not signed',
    why: 'Your wallet has not signed yet. Nothing is reserved and nothing is sent.',
    tone: 'note',
  },
  queued: {
    word: 'Queued',
    why: 'Signed or reported, and its amount is reserved. It waits for its transaction or for the proof of it.',
    tone: 'wait',
  },
  sent: { word: 'Sent', why: 'The transaction is on its way and waits for a final block.', tone: 'wait' },
  completed: { word: 'Refunded', why: 'A final block proves that the money reached its recipient.', tone: 'good' },
  failed: { word: 'Failed', why: 'No money of the payment moved. Its amount can be refunded again.', tone: 'bad' },
  canceled: { word: 'Canceled', why: 'It was canceled, or not signed in time. It reserved nothing.', tone: 'quiet' },
};

export const DELIVERY_WORDS: Readonly<Record<Delivery['status'], StateWords>> = {
  pending: { word: 'Pending', why: 'Your server has not taken it yet; it is sent again until it does.', tone: 'wait' },
  succeeded: { word: 'Delivered', why: 'Your server answered with a 2xx status.', tone: 'good' },
  failed: { word: 'Given up', why: 'All retries were used. Resend it when your server is well again.', tone: 'bad' },
  discarded: { word: 'Discarded', why: 'The endpoint was deleted before it took the event.', tone: 'quiet' },
};

export const OUTCOME_WORDS: Readonly<Record<DeliveryAttempt['outcome'], StateWords>> = {
  succeeded: { word: 'Delivered', why: 'Your server answered with a 2xx status.', tone: 'good' },
  refused: { word: 'Refused', why: 'Your server answered with another status than 2xx.', tone: 'bad' },
  timed_out: { word: 'Timed out', why: 'Your server did not answer within the time of the endpoint.', tone: 'bad' },
  unreachable: {
    word: 'Unreachable',
    why: 'No connection: the name, the port or the certificate of your server is wrong, or it is down.',
    tone: 'bad',
  },
  blocked: {
    word: 'Blocked',
    why: 'The address is private or reserved, so the service does not connect to it.',
    tone: 'bad',
  },
  our_fault: {
    word: 'Our fault',
    why: 'The service could not send it. This does not count against your endpoint.',
    tone: 'wait',
  },
};

export const ENDPOINT_WORDS: Readonly<Record<Endpoint['status'], StateWords>> = {
  enabled: { word: 'On', why: 'Events are delivered as they happen.', tone: 'good' },
  disabled: {
    word: 'Off',
    why: 'Nothing is sent. What was on its way waits; events that happen meanwhile are sent only if you replay them.',
    tone: 'quiet',
  },
};

/** Why an endpoint is off. */
export const OFF_WORDS: Readonly<Record<string, string>> = {
  gone: 'Your server answered 410 Gone, which switches an endpoint off.',
  failing: 'No delivery succeeded for days, so the service switched it off.',
  merchant: 'Somebody of your account switched it off.',
};

/** Why a delivery ended. */
export const DELIVERY_END_WORDS: Readonly<Record<string, string>> = {
  retries_exhausted: 'All retries were used.',
  endpoint_deleted: 'The endpoint was deleted.',
};

export const PAYOUT_WORDS: Readonly<Record<'pending' | 'active' | 'disabled', StateWords>> = {
  pending: { word: 'Waiting', why: 'The chain has not registered it yet. New payments do not use it.', tone: 'wait' },
  active: { word: 'Active', why: 'New payments go to this wallet.', tone: 'good' },
  disabled: { word: 'Ended', why: 'No payment goes to this wallet any more.', tone: 'quiet' },
};

export const REPLAY_WORDS: Readonly<Record<EventReplay['status'], StateWords>> = {
  running: { word: 'Running', why: 'Events of the range are being queued.', tone: 'wait' },
  done: { word: 'Done', why: 'Every event of the range was looked at.', tone: 'good' },
  failed: { word: 'Stopped', why: 'The endpoint was deleted while the replay ran.', tone: 'bad' },
};

export const EVENT_WORDS: Readonly<Record<EventType, string>> = {
  'payment_intent.created': 'A payment was asked for',
  x402_upto_authorization_received: 'A payer authorized a cap',
  'payment_intent.canceled': 'A payment was canceled or expired',
  'payment.created': 'A payer began to pay',
  'payment.updated': 'A payment changed',
  'payment.completed': 'A payment is paid',
  'payment.failed': 'A payment failed',
  'payment.cancelled': 'A payment was canceled unsent',
  'payment.refunded': 'A payment was refunded',
};
export const EVENT_NAMES = Object.keys(EVENT_WORDS) as readonly EventType[];
