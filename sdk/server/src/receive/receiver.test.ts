import fc from 'fast-check';
import { describe, expect, expectTypeOf, test } from 'vitest';
import type { KnownEvent } from '../event/received-event.ts';
import {
  ACCOUNT_KEY,
  bytesOf,
  ENDPOINT_SECRET,
  NOW_SECONDS,
  now,
  sampleEvent,
  signed,
  standardSigned,
} from '../testing/sample-event.ts';
import { createReceiver } from './receiver.ts';

const event = sampleEvent();
const body = bytesOf(event);
const receiver = createReceiver({ secrets: [ACCOUNT_KEY], now });
const endpointReceiver = createReceiver({ secrets: [ENDPOINT_SECRET], now });
const header = signed(body)['x-svc-signature'];
const [t = '', v1 = ''] = header.split(',');
const digest = v1.slice(3);
const withSignature = (signature: string | string[] | undefined) => ({ 'x-svc-signature': signature });
const others = 'sk_test_somebody_else';

describe('a good delivery', () => {
  test.each([
    ['a Buffer', body],
    ['a Uint8Array', new Uint8Array(body)],
    ['an ArrayBuffer', new Uint8Array(body).buffer],
  ])('is the event it carries, from %s', async (_, bytes) => {
    const received = await receiver.verify(bytes, signed(body));
    expect(received).toEqual({ ok: true, known: true, event, timestampSeconds: NOW_SECONDS });
  });

  test.each([
    ['as Node spells them', signed(body)],
    ['as the interface spells them', { 'X-SVC-Signature': header }],
    ['of a fetch request', new Headers(signed(body))],
  ])('is found with headers %s', async (_, headers) => {
    expect(await receiver.verify(body, headers)).toMatchObject({ ok: true });
  });

  test('of a type that this release does not know comes through, as not known', async () => {
    const later = bytesOf({ ...event, type: 'payment.sneezed', data: { object: { loud: true } } });
    const received = await receiver.verify(later, signed(later));
    expect(received).toMatchObject({ ok: true, known: false, event: { type: 'payment.sneezed' } });
  });

  test('with a field that this release does not know is read without it', async () => {
    const newer = bytesOf({ ...event, shard: 3 });
    expect(await receiver.verify(newer, signed(newer))).toMatchObject({ ok: true, known: true, event });
  });

  test('has a type that decides what it carries', async () => {
    const received = await receiver.verify(body, signed(body));
    if (!received.ok || !received.known) throw new Error('refused');
    expectTypeOf(received.event).toEqualTypeOf<KnownEvent>();
    const known = received.event;
    if (known.type === 'payment.completed') expectTypeOf(known.data.object.paidAmount).toEqualTypeOf<string | null>();
    if (known.type === 'payment_intent.created') expectTypeOf(known.data.object.intentCode).toEqualTypeOf<number>();
    // @ts-expect-error A snapshot has no transaction.
    if (known.type === 'x402_upto_authorization_received') void known.data.object.transactionId;
  });
});

describe('an endpoint’s secret', () => {
  test('verifies the three headers of Standard Webhooks, and needs no key of the account', async () => {
    expect(await endpointReceiver.verify(body, standardSigned(body))).toMatchObject({ ok: true, event });
    expect(await endpointReceiver.verify(body, { ...signed(body), ...standardSigned(body) })).toMatchObject({
      ok: true,
    });
  });

  test('does not let a signature of the account’s key in', async () => {
    expect(await endpointReceiver.verify(body, signed(body))).toMatchObject({ ok: false, code: 'signature_missing' });
  });

  test('and an account’s key do not pass for each other', async () => {
    expect(await receiver.verify(body, standardSigned(body))).toMatchObject({ ok: false, code: 'signature_missing' });
    const crossed = signed(body, { key: ENDPOINT_SECRET });
    expect(await endpointReceiver.verify(body, crossed)).toMatchObject({ ok: false });
    expect(await receiver.verify(body, crossed)).toMatchObject({ ok: false, code: 'signature_mismatch' });
  });

  test('may be moved to from an account’s key: while both are given, either signature is enough', async () => {
    const both = createReceiver({ secrets: [ACCOUNT_KEY, ENDPOINT_SECRET], now });
    expect(await both.verify(body, signed(body))).toMatchObject({ ok: true });
    expect(await both.verify(body, standardSigned(body))).toMatchObject({ ok: true });
    const wrong = { ...signed(body, { key: others }), ...standardSigned(body) };
    expect(await both.verify(body, wrong)).toMatchObject({ ok: true });
    const wrongToo = { ...signed(body, { key: others }), ...standardSigned(body, { key: Buffer.alloc(32, 8) }) };
    expect(await both.verify(body, wrongToo)).toMatchObject({ ok: false, code: 'signature_mismatch' });
    expect(await both.verify(body, {})).toMatchObject({ ok: false, code: 'signature_missing' });
  });
});

describe('rotation', () => {
  test('a delivery signed with any of the secrets is good, before, while and after they are exchanged', async () => {
    const next = 'sk_test_next';
    for (const key of [ACCOUNT_KEY, next]) {
      const rotating = createReceiver({ secrets: [ACCOUNT_KEY, next], now });
      expect(await rotating.verify(body, signed(body, { key }))).toMatchObject({ ok: true });
    }
    const after = createReceiver({ secrets: [next], now });
    expect(await after.verify(body, signed(body))).toMatchObject({ ok: false, code: 'signature_mismatch' });
  });
});

describe('refused, with a code and advice', () => {
  test.each([
    ['missing', undefined, 'signature_missing'],
    ['empty', '', 'signature_missing'],
    ['repeated', [header, header], 'signature_malformed'],
    ['repeated and joined', `${header}, ${header}`, 'signature_malformed'],
    ['of a negative t', `t=-${NOW_SECONDS},${v1}`, 'signature_malformed'],
    ['of a t in letters', `t=soon,${v1}`, 'signature_malformed'],
    ['of a t in milliseconds', `${t}000,${v1}`, 'signature_malformed'],
    ['of two t', `${t},${t},${v1}`, 'signature_malformed'],
    ['of 63 characters', `${t},v1=${digest.slice(1)}`, 'signature_malformed'],
    ['of 65 characters', `${t},v1=${digest}0`, 'signature_malformed'],
    ['in upper case', `${t},v1=${digest.toUpperCase()}`, 'signature_malformed'],
    ['not hex', `${t},v1=${'z'.repeat(64)}`, 'signature_malformed'],
    ['of ten thousand items', `${t},${Array(10_000).fill(v1).join(',')}`, 'signature_malformed'],
    ['of another delivery', signed(bytesOf(sampleEvent('payment.failed')))['x-svc-signature'], 'signature_mismatch'],
    ['by another secret', signed(body, { key: others })['x-svc-signature'], 'signature_mismatch'],
    ['of another second', `t=${NOW_SECONDS + 1},${v1}`, 'signature_mismatch'],
  ])('a signature that is %s', async (_, signature, code) => {
    const refusal = await receiver.verify(body, withSignature(signature));
    expect(refusal).toEqual({ ok: false, code, advice: expect.stringMatching(/^[A-Z].{20,}\.$/) });
  });

  test('a header spelled in two ways', async () => {
    const twice = { 'X-SVC-Signature': header, 'X-Svc-Signature': header };
    expect(await receiver.verify(body, twice)).toMatchObject({ code: 'signature_malformed' });
  });

  test.each([-301, 301])('a time %i seconds off, though well signed', async (offset) => {
    const headers = signed(body, { atSeconds: NOW_SECONDS + offset });
    expect(await receiver.verify(body, headers)).toMatchObject({ code: 'timestamp_out_of_tolerance' });
    const standard = standardSigned(body, { atSeconds: NOW_SECONDS + offset });
    expect(await endpointReceiver.verify(body, standard)).toMatchObject({ code: 'timestamp_out_of_tolerance' });
  });

  test.each([-300, 300])('but not a time %i seconds off', async (offset) => {
    expect(await receiver.verify(body, signed(body, { atSeconds: NOW_SECONDS + offset }))).toMatchObject({ ok: true });
  });

  test('a time beyond a tolerance of one’s own', async () => {
    const strict = createReceiver({ secrets: [ACCOUNT_KEY], toleranceSeconds: 10, now });
    const headers = signed(body, { atSeconds: NOW_SECONDS - 11 });
    expect(await strict.verify(body, headers)).toMatchObject({ code: 'timestamp_out_of_tolerance' });
  });

  test('signature before time, time before JSON', async () => {
    const notJson = Buffer.from('<html>');
    const old = { atSeconds: NOW_SECONDS - 9_999 };
    expect(await receiver.verify(notJson, signed(notJson, { ...old, key: others }))).toMatchObject({
      code: 'signature_mismatch',
    });
    expect(await receiver.verify(notJson, signed(notJson, old))).toMatchObject({ code: 'timestamp_out_of_tolerance' });
    expect(await receiver.verify(notJson, signed(notJson))).toMatchObject({ code: 'body_not_json' });
  });

  test.each([
    ['a byte order mark in front', Buffer.concat([Buffer.from('\uFEFF'), body])],
    ['JSON parsed and written again', Buffer.from(JSON.stringify(event, null, 2))],
    ['bad UTF-8 made good', Buffer.from(Buffer.concat([body, Buffer.from([0xff])]).toString())],
    ['nothing', new Uint8Array()],
  ])('a body of %s', async (_, bytes) => {
    expect(await receiver.verify(bytes, signed(body))).toMatchObject({ code: 'signature_mismatch' });
  });

  test.each([
    ['bad UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'body_not_json'],
    ['a byte order mark', Buffer.concat([Buffer.from('\uFEFF'), body]), 'body_not_json'],
    ['a list', Buffer.from('[]'), 'event_malformed'],
    ['half of a known event', bytesOf({ ...event, data: {} }), 'event_malformed'],
    ['an event without id', bytesOf({ ...event, id: '', type: 'payment.sneezed' }), 'event_malformed'],
  ])('%s, though well signed', async (_, bytes, code) => {
    expect(await receiver.verify(bytes, signed(bytes))).toMatchObject({ ok: false, code });
  });

  test.each([[event], [body.toString()], [null], [undefined], [[...body]]])(
    'a body that was parsed or decoded: case %#',
    async (notBytes) => {
      const refusal = await receiver.verify(notBytes, signed(body));
      expect(refusal).toMatchObject({ code: 'body_not_raw_bytes', advice: expect.stringContaining('as they came') });
    },
  );

  test('anything else, without a throw and without a word of the secret', async () => {
    const headers = fc.dictionary(fc.constantFrom('x-svc-signature', 'X-SVC-Signature', 'webhook-id'), fc.string());
    await fc.assert(
      fc.asyncProperty(fc.uint8Array(), headers, async (bytes, given) => {
        const refusal = await receiver.verify(bytes, given);
        expect(refusal.ok).toBe(false);
        expect(JSON.stringify(refusal)).not.toContain(ACCOUNT_KEY);
      }),
    );
  });
});

describe('a secret that can’t be one is refused at construction', () => {
  test.each([
    ['no list', undefined],
    ['an empty list', []],
    ['an empty secret', [ACCOUNT_KEY, '']],
    ['a variable that is not set', [undefined]],
    ['a line end behind it', [`${ACCOUNT_KEY}\n`]],
    ['a publishable key', ['pk_test_shop']],
    ['an endpoint secret cut short', ['whsec_c2hvcnQ=']],
    ['an endpoint secret that is not base64', ['whsec_!!!']],
  ])('%s', (_, secrets) => {
    const create = () => createReceiver({ secrets: secrets as string[], now });
    expect(create).toThrow(TypeError);
    expect(create).not.toThrow(/receiver_|shop|c2hvcnQ/);
  });

  test('and so is a tolerance that is no number', () => {
    expect(() => createReceiver({ secrets: [ACCOUNT_KEY], toleranceSeconds: Number.NaN })).toThrow(RangeError);
  });
});
