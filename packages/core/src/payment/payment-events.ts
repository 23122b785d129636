// Decides which events a state change causes, in order. Pure: the transaction that writes the state writes them.
import type { EventType, PaymentStatus } from '@svc-pay/protocol';
import { type CausedEvent, draftEventsOf, type EventDraft, type Origin } from '../event/event-draft.ts';
import type { Intent } from '../intent/intent.ts';
import { intentEvents, intentObject } from '../intent/intent-events.ts';
import { paymentView, type StoredPayment } from './payment.ts';

export type Snapshot = { readonly intent: Intent; readonly payment: StoredPayment | null };

/** Statuses with an event type of their own; any other change of a payment is an update. */
const ENDINGS = {
  completed: 'payment.completed',
  failed: 'payment.failed',
  canceled: 'payment.cancelled',
  refunded: 'payment.refunded',
} as const satisfies Partial<Record<PaymentStatus, EventType>>;

/** `before` is undefined when the change creates the intent. */
export function eventsFor(before: Snapshot | undefined, after: Snapshot): readonly CausedEvent[] {
  return [...intentEvents(before?.intent, after.intent), ...paymentEvents(before, after)];
}

function paymentEvents(before: Snapshot | undefined, after: Snapshot): CausedEvent[] {
  const payment = after.payment;
  if (payment === null) return [];
  const earlier = before?.payment ?? null;
  const events: CausedEvent[] = [];
  const ending = payment.status === earlier?.status ? undefined : endingOf(payment.status);

  if (announces(payment, ending)) events.push({ type: 'payment.created' });
  if (ending !== undefined) events.push({ type: ending });
  else if (mayBeUpdated(payment, earlier)) {
    // Compares two whole views, so it is asked for updates only: most changes are a payment's first or last.
    const changed = changedAttributes(before, after);
    if (!payment.announced || changed !== undefined)
      events.push({ type: 'payment.updated', ...(changed && { previousAttributes: changed }) });
  }
  return events;
}

/** Whether a change that ends nothing is an update: of a payment that was announced, or one that is found mismatched. */
function mayBeUpdated(payment: StoredPayment, earlier: StoredPayment | null): boolean {
  if (payment.announced) return endingOf(payment.status) === undefined;
  return payment.status === 'mismatched' && earlier?.status !== 'mismatched';
}

/** `payment.created` is emitted once: at the first transaction id, or with the result if there is none. */
function announces(payment: StoredPayment, ending: EventType | undefined): boolean {
  return (
    !payment.announced && (payment.transactionId !== null || ending !== undefined || payment.status === 'mismatched')
  );
}

function endingOf(status: PaymentStatus): EventType | undefined {
  return status in ENDINGS ? ENDINGS[status as keyof typeof ENDINGS] : undefined;
}

/** Undefined when nothing that the wire shows has changed. */
export function changedAttributes(before: Snapshot | undefined, after: Snapshot): Record<string, unknown> | undefined {
  if (!before?.payment || !after.payment) return undefined;
  const old = paymentView(before.payment, before.intent, 'secret') as Record<string, unknown>;
  const now = paymentView(after.payment, after.intent, 'secret') as Record<string, unknown>;
  const names = Object.keys(now).filter((name) => JSON.stringify(old[name]) !== JSON.stringify(now[name]));
  return names.length === 0 ? undefined : Object.fromEntries(names.map((name) => [name, old[name] ?? null]));
}

/** The last of several changes of one commit, and the events of all of them. Each event shows the state of its change. */
export type DraftedSteps = { readonly after: Snapshot; readonly events: readonly EventDraft[] };

export function draftSteps(
  before: Snapshot,
  steps: readonly Snapshot[],
  origin: Origin,
  nowMs: number,
  lastSequence: number,
): DraftedSteps {
  const events: EventDraft[] = [];
  let after = before;
  let announced = before.payment?.announced === true;
  for (const { intent, payment } of steps) {
    const next = { intent, payment: payment && { ...payment, announced } };
    const drafts = draftEvents(eventsFor(after, next), next, origin, nowMs, lastSequence + events.length);
    events.push(...drafts);
    announced ||= drafts.some(({ type }) => type === 'payment.created');
    after = { intent, payment: payment && { ...payment, announced } };
  }
  return { after, events };
}

/** `data.object` of an event of this type. */
function objectOf(type: EventType, { intent, payment }: Snapshot): Readonly<Record<string, unknown>> {
  const object = intentObject(type, intent);
  if (object !== undefined) return object;
  if (payment === null)
    throw new Error(`event ${type} of intent ${intent.id} needs a payment, and the intent has none`);
  return paymentView(payment, intent, 'secret');
}

/** Drafts of the events that a change of an intent and its payment caused; `after` is the state that they report. */
export function draftEvents(
  caused: readonly CausedEvent[],
  after: Snapshot,
  origin: Origin,
  nowMs: number,
  lastSequence: number,
): readonly EventDraft[] {
  const subject = {
    intentId: after.intent.id,
    paymentId: after.payment?.id ?? null,
    mode: after.intent.mode,
    objectOf: (type: CausedEvent['type']) => objectOf(type, after),
  };
  return draftEventsOf(subject, caused, origin, nowMs, lastSequence);
}
