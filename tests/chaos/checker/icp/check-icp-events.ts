// Each payment and each end of an intent is told once, in this order, by a request whose signature the merchant can verify.
import { createHmac } from 'node:crypto';
import type { Violation } from '../case-file.ts';
import { isOfRefund } from '../check-events.ts';
import { type IcpCase, wrong } from './icp-case.ts';

export function checkIcpEvents(own: IcpCase): readonly Violation[] {
  return [...checkPayments(own), ...checkIntents(own), ...checkSignatures(own)];
}

const COMPLETED = 'payment.created, payment.completed';
const MISMATCHED = 'payment.created, payment.updated';

function checkPayments({ file: { record, eventsOfPayment, intentOf } }: IcpCase): Violation[] {
  return record.payments.flatMap(({ id, intent }) => {
    const { status, named } = intentOf.get(intent) ?? {};
    const expected = status === 'completed' && named === id ? COMPLETED : MISMATCHED;
    const told = (eventsOfPayment.get(id) ?? [])
      .filter((event) => !isOfRefund(event))
      .map(({ type }) => type)
      .join(', ');
    return wrong(told !== expected, 'events', `${id}: told ${told || 'nothing'}`, intent);
  });
}

function checkIntents({ file: { record, intentOf } }: IcpCase): Violation[] {
  const eventsOf = Map.groupBy(
    record.events.filter(({ payment }) => payment === null),
    ({ intent }) => intent,
  );
  return [...intentOf.values()].flatMap(({ id, status }) => {
    const told = (eventsOf.get(id) ?? []).map(({ type }) => type).join(', ');
    const expected = `payment_intent.created${status === 'canceled' ? ', payment_intent.canceled' : ''}`;
    return wrong(told !== expected, 'events', `${status}: told ${told || 'nothing'}`, id);
  });
}

function checkSignatures({ file: { record, run }, setting }: IcpCase): Violation[] {
  const eventOf = new Map(record.events.map((event) => [event.id, event]));
  const unsound = run.arrivals.filter(({ event: id, signature }) => {
    const event = eventOf.get(id);
    const [, time = '', signed = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(signature) ?? [];
    const key = setting.secretKeys[event?.account ?? ''] ?? '';
    const hmac = createHmac('sha256', key)
      .update(`${time}.`)
      .update(event?.body ?? '');
    return event === undefined || hmac.digest('hex') !== signed;
  });
  return wrong(unsound.length > 0, 'events', `${unsound.length} arrivals with a signature that does not hold`);
}
