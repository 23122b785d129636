// Which events a change of state causes, in order. Pure: the state's own transaction writes them.
import type { EventType, PaymentStatus } from '@svc-pay/protocol';
import { type Intent, intentView, isConfirmed, snapshotView } from '../intent/intent.ts';
import { type Payment, paymentView } from '../payment/payment.ts';

export type Snapshot = { readonly intent: Intent; readonly payment: Payment | null };

export type CausedEvent = {
  readonly type: EventType;
  /** With `payment.updated`: the changed fields of the wire shape, as they were. */
  readonly previousAttributes?: Readonly<Record<string, unknown>>;
};

/** Statuses that speak for themselves; any other change of a payment is an update. */
const ENDINGS = {
  completed: 'payment.completed',
  failed: 'payment.failed',
  canceled: 'payment.cancelled',
  refunded: 'payment.refunded',
} as const satisfies Partial<Record<PaymentStatus, EventType>>;

/** `before` is undefined when the intent is born by this change. */
export function eventsFor(before: Snapshot | undefined, after: Snapshot): readonly CausedEvent[] {
  return [...intentEvents(before?.intent, after.intent), ...paymentEvents(before, after)];
}

function intentEvents(before: Intent | undefined, after: Intent): CausedEvent[] {
  const events: CausedEvent[] = [];
  if (before === undefined) events.push({ type: 'payment_intent.created' });
  // The window's end is the authorization's own: another end is another authorization.
  const received = before === undefined || !isConfirmed(before) || before.expiresAtMs !== after.expiresAtMs;
  if (isConfirmed(after) && received) {
    events.push({ type: 'x402_upto_authorization_received' });
  }
  return events;
}

function paymentEvents(before: Snapshot | undefined, after: Snapshot): CausedEvent[] {
  const payment = after.payment;
  if (payment === null) return [];
  const earlier = before?.payment ?? null;
  const events: CausedEvent[] = [];
  const changed = earlier === null ? undefined : changedAttributes(before, after);
  const ending = payment.status === earlier?.status ? undefined : endingOf(payment.status);

  if (announces(payment, ending)) events.push({ type: 'payment.created' });
  if (ending !== undefined) events.push({ type: ending });
  else if (payment.announced && changed !== undefined && endingOf(payment.status) === undefined) {
    events.push({ type: 'payment.updated', previousAttributes: changed });
  } else if (!payment.announced && payment.status === 'mismatched' && earlier?.status !== 'mismatched') {
    events.push({ type: 'payment.updated', ...(changed && { previousAttributes: changed }) });
  }
  return events;
}

/** Once, at the first transaction id, or at the end if the payment ends without one. */
function announces(payment: Payment, ending: EventType | undefined): boolean {
  return (
    !payment.announced && (payment.transactionId !== null || ending !== undefined || payment.status === 'mismatched')
  );
}

function endingOf(status: PaymentStatus): EventType | undefined {
  return status in ENDINGS ? ENDINGS[status as keyof typeof ENDINGS] : undefined;
}

/** Undefined when nothing that the wire shows has changed. */
function changedAttributes(before: Snapshot | undefined, after: Snapshot): Record<string, unknown> | undefined {
  if (!before?.payment || !after.payment) return undefined;
  const old = paymentView(before.payment, before.intent) as Record<string, unknown>;
  const now = paymentView(after.payment, after.intent) as Record<string, unknown>;
  const names = Object.keys(now).filter((name) => JSON.stringify(old[name]) !== JSON.stringify(now[name]));
  return names.length === 0 ? undefined : Object.fromEntries(names.map((name) => [name, old[name] ?? null]));
}

/** What `data.object` holds for an event of this type. */
export function objectOf(type: EventType, { intent, payment }: Snapshot): Readonly<Record<string, unknown>> {
  if (type === 'payment_intent.created') return intentView(intent);
  if (type === 'x402_upto_authorization_received') return snapshotView(intent);
  if (payment === null) throw new Error(`${type} without a payment`);
  return paymentView(payment, intent);
}
