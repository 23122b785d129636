import { EVENT_TYPES, type Payment, type PaymentIntent } from '@svc-pay/protocol';
import { expect, expectTypeOf, test, vi } from 'vitest';
import { sampleEvent } from '../testing/sample-event.ts';
import { onEvent } from './on-event.ts';
import type { KnownEvent, ReceivedEvent } from './received-event.ts';

const known = (type: string): ReceivedEvent => ({ known: true, event: sampleEvent(type) as unknown as KnownEvent });
const later = (type: string): ReceivedEvent => ({ known: false, event: { id: 'evt_9', object: 'event', type } });

test.each(EVENT_TYPES)('%s goes to its own function, and to no other', async (type) => {
  const [own, fallback] = [vi.fn(), vi.fn()];
  await onEvent({ [type]: own, default: fallback })(known(type));
  expect(own).toHaveBeenCalledExactlyOnceWith(sampleEvent(type));
  expect(fallback).not.toHaveBeenCalled();
});

test.each([
  known('payment.created'),
  later('payment.sneezed'),
  later('toString'),
  later('default'),
  later('__proto__'),
])('what has no function of its own goes to default: $event.type', async (received) => {
  const [own, fallback] = [vi.fn(), vi.fn()];
  await onEvent({ 'payment.completed': own, default: fallback })(received);
  expect(fallback).toHaveBeenCalledExactlyOnceWith(received.event);
  expect(own).not.toHaveBeenCalled();
});

test('an unchecked event never reaches the function of a known type', async () => {
  const own = vi.fn();
  await onEvent({ 'payment.completed': own, default: () => {} })(later('payment.completed'));
  expect(own).not.toHaveBeenCalled();
});

test('the work is awaited, and what it throws is thrown', async () => {
  const handle = onEvent({ default: async () => Promise.reject(new Error('no disk')) });
  await expect(handle(known('payment.failed'))).rejects.toThrow('no disk');
});

test('each function is typed by its event, and default can’t be left out', () => {
  onEvent({
    'payment.completed': (event) => expectTypeOf(event.data.object).toEqualTypeOf<Payment>(),
    'payment_intent.created': (event) => expectTypeOf(event.data.object).toEqualTypeOf<PaymentIntent>(),
    default: (event) => expectTypeOf(event.id).toEqualTypeOf<string>(),
  });
  // @ts-expect-error What happens to events of later releases must be said.
  onEvent({ 'payment.completed': () => {} });
  // @ts-expect-error No such type.
  onEvent({ 'payment.canceled': () => {}, default: () => {} });
});
