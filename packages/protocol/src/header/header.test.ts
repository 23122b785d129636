import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arbitraryOf } from '../testing/arbitrary-of.ts';
import { type EvmPaymentHeader, type PaymentHeader, paymentHeader } from '../wire/payment-header.ts';
import { MAX_HEADER_CHARACTERS } from '../x402/read-payment.ts';
import { decodePaymentHeader } from './decode-header.ts';
import { encodePaymentHeader } from './encode-header.ts';

const header: EvmPaymentHeader = {
  x402Version: 1,
  scheme: 'exact',
  network: 'eip155:84532',
  payload: {
    authorization: {
      from: `0x${'aB'.repeat(20)}`,
      to: `0x${'22'.repeat(20)}`,
      value: '1000000',
      validAfter: '1700000000',
      validBefore: '1700000300',
      nonce: `0x${'0f'.repeat(32)}`,
    },
    signature: `0x${'1b'.repeat(65)}`,
  },
};

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');
const withAuthorization = (change: object) => ({
  ...header,
  payload: { ...header.payload, authorization: { ...header.payload.authorization, ...change } },
});
const withSignature = (signature: unknown) => ({ ...header, payload: { ...header.payload, signature } });

test('a header comes back as it was written, for every kind of payload', () => {
  fc.assert(
    fc.property(arbitraryOf(paymentHeader), fc.constantFrom('eip155:84532', 'solana:devnet'), (drawn, network) => {
      const parsed = paymentHeader.safeParse({ ...(drawn as object), network });
      fc.pre(parsed.success && hasPayloadOf(network, parsed.data.payload));
      const decoded = decodePaymentHeader(encodePaymentHeader(parsed.data));
      expect(decoded).toEqual({ ok: true, header: parsed.data });
    }),
  );
});

const hasPayloadOf = (network: string, payload: PaymentHeader['payload']) =>
  'transaction' in payload || network.startsWith('eip155:') === payload.authorization.from.startsWith('0x');

describe('accepted as the same header', () => {
  const standard = base64(header);
  test.each([
    ['standard', standard],
    ['without padding', standard.replace(/=+$/, '')],
    ['URL-safe', Buffer.from(JSON.stringify(header)).toString('base64url')],
    ['with unknown fields', base64({ ...header, extension: { a: 1 } })],
  ])('%s base64', (_, encoded) => {
    expect(decodePaymentHeader(encoded)).toEqual({ ok: true, header });
  });
  test('version 2', () => {
    expect(decodePaymentHeader(base64({ ...header, x402Version: 2 }))).toMatchObject({ ok: true });
  });
  test.each([64, 65, 1_000])('a signature of %i bytes: its fit is decided with the payer known', (length) => {
    expect(decodePaymentHeader(base64(withSignature(`0x${'ab'.repeat(length)}`)))).toMatchObject({ ok: true });
  });
});

describe('refused by name', () => {
  test.each([
    ['undefined', undefined, 'not_text'],
    ['a number', 7, 'not_text'],
    ['an object', header, 'not_text'],
    ['nothing', '', 'not_base64'],
    ['a megabyte', 'A'.repeat(1_048_576), 'too_long'],
    ['one character too many', 'A'.repeat(MAX_HEADER_CHARACTERS + 1), 'too_long'],
    ['white space', ` ${base64(header)}`, 'not_base64'],
    ['a line break', `${base64(header)}\n`, 'not_base64'],
    ['mixed alphabets', 'ab+_', 'not_base64'],
    ['an impossible length', 'abcde', 'not_base64'],
    ['too much padding', 'abc===', 'not_base64'],
    ['padding that does not fit', 'abcd=', 'not_base64'],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x00]).toString('base64'), 'not_utf8'],
    ['a byte order mark', Buffer.from(`\uFEFF${JSON.stringify(header)}`).toString('base64'), 'not_json'],
    ['plain text', Buffer.from('hello').toString('base64'), 'not_json'],
    ['a list', base64([header]), 'wrong_shape'],
    ['null', base64(null), 'wrong_shape'],
    ['version 0', base64({ ...header, x402Version: 0 }), 'wrong_shape'],
    ['version 3', base64({ ...header, x402Version: 3 }), 'wrong_shape'],
    ['version as text', base64({ ...header, x402Version: '1' }), 'wrong_shape'],
    ['an unknown scheme', base64({ ...header, scheme: 'about' }), 'wrong_shape'],
    ['a nonce of 31 bytes', base64(withAuthorization({ nonce: `0x${'00'.repeat(31)}` })), 'wrong_shape'],
    ['a nonce of 33 bytes', base64(withAuthorization({ nonce: `0x${'00'.repeat(33)}` })), 'wrong_shape'],
    ['an address of 19 bytes', base64(withAuthorization({ from: `0x${'00'.repeat(19)}` })), 'wrong_shape'],
    ['a negative amount', base64(withAuthorization({ value: '-1' })), 'wrong_shape'],
    ['an amount with a leading zero', base64(withAuthorization({ value: '01' })), 'wrong_shape'],
    ['an amount in hex', base64(withAuthorization({ value: '0x10' })), 'wrong_shape'],
    ['an amount of 2^256', base64(withAuthorization({ value: String(2n ** 256n) })), 'wrong_shape'],
    ['an amount as a number', base64(withAuthorization({ value: 1_000_000 })), 'wrong_shape'],
    ['a time in milliseconds', base64(withAuthorization({ validBefore: '1700000000000' })), 'wrong_shape'],
    ['a time as a number', base64(withAuthorization({ validBefore: 1_700_000_000 })), 'wrong_shape'],
    ['a signature of 63 bytes', base64(withSignature(`0x${'ab'.repeat(63)}`)), 'wrong_shape'],
    ['half a byte', base64(withSignature(`0x${'ab'.repeat(64)}c`)), 'wrong_shape'],
    ['a signature without 0x', base64(withSignature('ab'.repeat(65))), 'wrong_shape'],
  ])('%s', (_, encoded, reason) => {
    expect(decodePaymentHeader(encoded)).toMatchObject({ ok: false, code: 'invalid_payment_header', reason });
  });
});

test('10,000 hostile inputs are answered with a typed refusal or a well-formed header, never a throw', () => {
  const damaged = fc.tuple(fc.nat(), fc.string({ maxLength: 4, unit: 'binary' })).map(([at, junk]) => {
    const json = JSON.stringify(header);
    const position = at % json.length;
    return Buffer.from(json.slice(0, position) + junk + json.slice(position + junk.length)).toString('base64');
  });
  const hostile = fc.oneof(
    fc.anything(),
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.base64String({ maxLength: 400 }),
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString('base64')),
    fc.jsonValue().map(base64),
    fc
      .object({ withNullPrototype: true })
      .map((value) => Buffer.from(JSON.stringify(value, noBigints)).toString('base64')),
    damaged,
  );
  let refused = 0;
  fc.assert(
    fc.property(hostile, (input) => {
      const decoded = decodePaymentHeader(input);
      if (decoded.ok) expect(paymentHeader.safeParse(decoded.header).success).toBe(true);
      else {
        expect(decoded.code).toBe('invalid_payment_header');
        refused += 1;
      }
    }),
    { numRuns: 10_000 },
  );
  expect(refused).toBeGreaterThan(9_000);
});

const noBigints = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
