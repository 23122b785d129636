// The promises about events, when all is quiet: tables against what merchants wrote down.
import { isHeldForMerchant } from './check-direct.ts';
import type { Arrival } from './receivers.ts';
import type { Simulation } from './simulation.ts';
import { LEASE_MS } from './webhooks-process.ts';

export function checkDeliveries(simulation: Simulation, arrivals: readonly Arrival[], dead: ReadonlySet<string>): void {
  const { tables, violate } = simulation;
  checkOrder(simulation);
  const byDelivery = Map.groupBy(arrivals, ({ eventId, endpointId }) => `${eventId} ${endpointId}`);
  for (const [key, { status, eventId, endpointId }] of tables.deliveries) {
    const own = byDelivery.get(key) ?? [];
    const event = tables.events.get(eventId);
    if (status === 'failed') checkGivenUp(simulation, key, endpointId);
    else if (status !== 'succeeded') violate('each event arrives', `${key} is ${status}`);
    else if (own.length === 0) violate('each event arrives', `${key} is called ${status} and never arrived`);
    const body = new TextDecoder().decode(event?.body);
    if (own.some((arrival) => arrival.body !== body)) violate('equal bytes', `${key} arrived with other bytes`);
    if (own.some(({ sequence }) => sequence !== String(event?.sequence))) violate('equal bytes', `${key}: sequence`);
    for (const [index, arrival] of own.entries()) {
      const before = own[index - 1];
      if (before !== undefined) explain(simulation, dead, key, before, arrival);
    }
  }
}

/** A delivery is given up only after all its retries. */
function checkGivenUp({ tables, violate }: Simulation, key: string, endpointId: string): void {
  const charged = tables.attempts.filter(
    (each) => `${each.eventId} ${each.endpointId}` === key && each.outcome !== 'our_fault',
  );
  const wanted = (tables.endpoints.get(endpointId)?.retryCount ?? 0) + 1;
  if (charged.length < wanted) violate('each event arrives', `${key} is given up after ${charged.length} attempts`);
}

/** Why it was sent although it had arrived: its answer was no success, or its sender's lease had ended unheard. */
function explain(
  { tables, violate, troubled }: Simulation,
  dead: ReadonlySet<string>,
  key: string,
  before: Arrival,
  again: Arrival,
): void {
  const rule = 'duplicates have a cause';
  if (before.fence === again.fence) return violate(rule, `${key} was sent twice under claim ${again.fence}`);
  const [first, second] = [before, again].map(({ fence }) => tables.leases.get(`${key} ${fence}`) ?? 0);
  const end = tables.attempts.find(
    ({ eventId, endpointId, fence }) => `${eventId} ${endpointId}` === key && fence === before.fence,
  );
  if (end === undefined) {
    // Its claim was taken over while it was under way: only after its lease.
    if (second! - first! < LEASE_MS) violate(rule, `${key} was claimed again ${second! - first!} ms after its claim`);
    return;
  }
  if (!end.isLost) {
    if (end.outcome === 'succeeded' && Number(again.fence) > Number(before.fence))
      violate(rule, `${key} had succeeded`);
    return;
  }
  if (second! - first! < LEASE_MS && Number(again.fence) > Number(before.fence)) {
    violate(rule, `${key} was claimed again ${second! - first!} ms after its claim`);
  }
  if (!dead.has(before.sender) && !troubled.has(before.sender)) {
    violate(rule, `${key}: its sender ${before.sender} was well and recorded nothing`);
  }
}

/** The money of a canceled up-to intent goes back by a canceled payment. */
const LAST: Readonly<Record<string, string>> = { completed: 'payment.completed', canceled: 'payment.cancelled' };

type ToldEvent = { readonly type: string; readonly paymentId: string | null };

/** Refunds are told of after the end of their payment. */
function withoutRefunds<Event extends ToldEvent>(
  { refundTotals }: Simulation['tables'],
  events: readonly Event[],
): readonly Event[] {
  const end = events.findLastIndex(({ type }) => type === 'payment.completed');
  const isOfRefund = ({ type, paymentId }: Event) =>
    refundTotals.has(paymentId ?? '') && (type === 'payment.refunded' || type === 'payment.updated');
  return events.filter((event, index) => end < 0 || index <= end || !isOfRefund(event));
}

/** Per intent 1, 2, 3 …, in the order of time; a payment is announced first, and its end comes last. */
function checkOrder({ tables, violate }: Simulation): void {
  for (const [intentId, own] of Map.groupBy(tables.events.values(), ({ intentId }) => intentId)) {
    // Test events of a shop belong to no intent.
    if (!tables.intents.has(intentId)) continue;
    const events = own.toSorted((one, other) => one.sequence - other.sequence);
    for (const [index, { sequence, createdAtMs }] of events.entries()) {
      if (sequence !== index + 1) violate('order per intent', `${intentId} has ${sequence} at place ${index + 1}`);
      if (createdAtMs < (events[index - 1]?.createdAtMs ?? 0))
        violate('order per intent', `${intentId}: time runs back`);
    }
    const types = withoutRefunds(tables, events).map(({ type }) => type);
    // An up-to intent that its merchant never settled tells of no payment.
    if (tables.intents.get(intentId)?.paymentId === null && types.length === 1) continue;
    const payments = [...tables.settlements.values()].filter(({ item }) => item.intentId === intentId);
    // Told of when the merchant has said whether the money was for it.
    if (payments.some((row) => isHeldForMerchant(tables, row))) continue;
    const status = tables.intents.get(intentId)?.intent.status;
    const last = LAST[status ?? ''] ?? 'payment.failed';
    if (types[0] !== 'payment_intent.created' || types[1] !== 'payment.created' || types.at(-1) !== last) {
      violate('order per intent', `${intentId} is ${status} and told ${types.join(', ')}`);
    }
    // An intent whose direct payment has failed may be paid again.
    if (types.filter((type) => type === 'payment.created').length !== payments.length) {
      violate('order per intent', `${intentId} has ${payments.length} payments and told ${types.join(', ')}`);
    }
  }
}
