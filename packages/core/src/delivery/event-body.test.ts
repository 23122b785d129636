import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isAmbiguous } from './event-body.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const CREATED = ',"type":"payment_intent.created"}';

test.each([
  ['a type before the last one', `{"type":"payment.completed"${CREATED}`],
  ['a type in other letters', `{"\\u0074ype":"payment.completed"${CREATED}`],
  ['an object twice', `{"data":{"status":"completed"},"data":{"status":"requires_payment"}${CREATED}`],
  ['a name twice, further in', `{"data":{"status":"completed","status":"requires_payment"}${CREATED}`],
  ['no JSON', `{"data":${CREATED}`],
  ['a blank', `{ "id":"evt"${CREATED}`],
])('a body with %s has more than one reading', (_, text) => {
  expect(isAmbiguous(bytes(text))).toBe(true);
});

test('bytes that are no text have no reading', () => {
  expect(isAmbiguous(new Uint8Array([...bytes('{"id":"'), 0xff, ...bytes(`"${CREATED}`)]))).toBe(true);
});

test('a body that the service writes has one reading, whatever the metadata', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (metadata) => {
      const given = JSON.parse(JSON.stringify(metadata)) as unknown;
      const body = JSON.stringify({ id: 'evt', data: { object: { metadata: given } }, type: 'payment_intent.created' });
      expect(isAmbiguous(bytes(body))).toBe(false);
    }),
  );
});

test('a body that reports on a payment is not read again', () => {
  expect(isAmbiguous(bytes('{"id":"evt","id":"evt","type":"payment.completed"}'))).toBe(false);
});
