// Every payment that ended has its event, every event reached every endpoint that wants it, with equal bytes, and nobody else.
import { createHash } from 'node:crypto';
import { type CaseFile, isSuccess, type Violation } from './case-file.ts';
import type { EventRow } from './record-evidence.ts';

const OK: ReadonlySet<string> = new Set(['well', 'drip']);

export function checkEvents(file: CaseFile): readonly Violation[] {
  return [...checkSequences(file), ...checkEnds(file), ...checkArrivals(file)];
}

function checkSequences({ record }: CaseFile): Violation[] {
  return [...Map.groupBy(record.events, ({ intent }) => intent)].flatMap(([intent, events]) => {
    const sequences = events.map(({ sequence }) => sequence);
    return sequences.every((sequence, index) => sequence === index + 1)
      ? []
      : [{ rule: 'events', intent, text: `sequences ${sequences.join(', ')}` }];
  });
}

type Body = {
  readonly data: {
    readonly object: {
      readonly status?: string;
      readonly transactionId?: string;
      readonly refundedAmount?: string;
    };
    readonly previous_attributes?: { readonly status?: string; readonly refundedAmount?: string | null };
  };
};
export const bodyOf = ({ body }: EventRow) => JSON.parse(body.toString()) as Body;

/** Told of a refund of the payment: a part leaves its status, and a payment that is taken back has none. */
export function isOfRefund(event: EventRow): boolean {
  if (event.type === 'payment.refunded') return true;
  const { refundedAmount, status } = bodyOf(event).data.previous_attributes ?? {};
  return event.type === 'payment.updated' && refundedAmount !== undefined && status === undefined;
}

/** A payment is created once, and first. A completed one was called so once more often than it was taken back, and last. */
function checkEnds(file: CaseFile): Violation[] {
  const { record, eventsOfPayment } = file;
  return record.payments.flatMap((payment) => {
    const { id, intent, status, transaction } = payment;
    const success = isSuccess(file, payment);
    const events = (eventsOfPayment.get(id) ?? []).filter((event) => !isOfRefund(event));
    const wrong = (is: boolean, text: string): Violation[] =>
      is ? [{ rule: 'events', intent, text: `${id}: ${text}` }] : [];
    const completed = events.filter(({ type }) => type === 'payment.completed');
    const back = events.filter(
      (event) => event.type === 'payment.updated' && bodyOf(event).data.previous_attributes?.status === 'completed',
    );
    const expected = success ? 1 : 0;
    const last = completed.at(-1);
    const created = events.filter(({ type }) => type === 'payment.created').length;
    return [
      ...wrong(
        events.length > 0 && (created !== 1 || events[0]?.type !== 'payment.created'),
        `told ${events.map(({ type }) => type).join(', ')}`,
      ),
      ...wrong(
        completed.length - back.length !== expected,
        `${status}; told completed ${completed.length} times, taken back ${back.length} times`,
      ),
      ...wrong(success && events.at(-1)?.type !== 'payment.completed', `ends with ${events.at(-1)?.type}`),
      ...wrong(
        success && last !== undefined && bodyOf(last).data.object.transactionId !== transaction,
        'its last word names another transaction',
      ),
    ];
  });
}

function checkArrivals({ record, run }: CaseFile): Violation[] {
  const keyOf = (event: string, endpoint: string) => `${event} ${endpoint}`;
  const arrivals = Map.groupBy(run.arrivals, ({ event, endpoint }) => keyOf(event, endpoint));
  const deliveries = new Map(record.deliveries.map((delivery) => [keyOf(delivery.event, delivery.endpoint), delivery]));
  const events = new Map(record.events.map((event) => [event.id, event]));
  const wanted = record.events.flatMap((event) =>
    record.endpoints
      .filter(({ account, types }) => account === event.account && types.includes(event.type))
      .map(({ id }) => ({ event, endpoint: id })),
  );
  const missing = wanted.flatMap(({ event, endpoint }) => {
    const key = keyOf(event.id, endpoint);
    const digest = createHash('sha256').update(event.body).digest('hex');
    const heard = arrivals.get(key) ?? [];
    const delivery = deliveries.get(key);
    const wrong = (is: boolean, text: string): Violation[] =>
      is ? [{ rule: 'events', intent: event.intent, text: `${event.id} (${event.type}): ${text}` }] : [];
    return [
      ...wrong(delivery?.status !== 'succeeded', `its delivery is ${delivery?.status ?? 'not there'}`),
      ...wrong(!heard.some(({ mood }) => OK.has(mood)), `heard ${heard.length} times, never well`),
      ...wrong(
        heard.some(({ body }) => body !== digest),
        'arrived with other bytes',
      ),
    ];
  });
  const accountOf = new Map(record.endpoints.map(({ id, account }) => [id, account]));
  const strays = run.arrivals.filter(({ event, endpoint }) => events.get(event)?.account !== accountOf.get(endpoint));
  return [
    ...missing,
    ...(strays.length > 0 ? [{ rule: 'tenants', text: `${strays.length} arrivals where they do not belong` }] : []),
  ];
}
