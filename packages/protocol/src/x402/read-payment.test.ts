import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readPayment, readPaymentHeader } from './read-payment.ts';

const authorization = {
  from: `0x${'aB'.repeat(20)}`,
  to: `0x${'22'.repeat(20)}`,
  value: '10000',
  validAfter: '1700000000',
  validBefore: '1700000300',
  nonce: `0x${'0f'.repeat(32)}`,
};
const payload = { authorization, signature: `0x${'1b'.repeat(65)}` };
const accepted = {
  scheme: 'exact',
  network: 'eip155:84532',
  amount: '10000',
  asset: `0x${'33'.repeat(20)}`,
  payTo: authorization.to,
  maxTimeoutSeconds: 300,
  extra: { name: 'USDC', version: '2', intentId: 'pi_1' },
};
const v2 = { x402Version: 2, payload, accepted, resource: { url: 'https://shop.example/a' }, extensions: { a: {} } };
const v1 = { x402Version: 1, scheme: 'exact', network: 'base-sepolia', payload };
const own = { x402Version: 1, scheme: 'exact', network: 'eip155:84532', payload };

test('version 1, version 2 and the interface’s own header name the same payment', () => {
  const same = { scheme: 'exact', network: 'eip155:84532', payload };
  for (const [body, version] of [
    [v1, 1],
    [v2, 2],
    [own, 1],
    [{ ...own, x402Version: 2 }, 2],
  ] as const)
    expect(readPayment(body)).toMatchObject({ ok: true, payment: { ...same, version } });
});

test('only version 2 repeats requirements, a resource and extensions', () => {
  expect(readPayment(v2)).toMatchObject({
    payment: { accepted: { ...accepted, resource: undefined }, resource: v2.resource, extensions: { a: {} } },
  });
  const missing = { accepted: undefined, resource: undefined, extensions: undefined };
  expect(readPayment(v1)).toMatchObject({ payment: missing });
  expect(readPayment({ ...v1, accepted })).toMatchObject({ payment: missing });
});

test('each name of a network is the same network', () => {
  const solana = { transaction: 'AQAB' };
  for (const network of ['solana', 'solana:mainnet', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'])
    expect(readPayment({ ...v1, network, payload: solana })).toMatchObject({ payment: { network: 'solana:mainnet' } });
  for (const network of ['base', 'eip155:8453', '8453'])
    expect(readPayment({ ...v1, network })).toMatchObject({ payment: { network: 'eip155:8453' } });
});

describe('a refusal names the field and says why', () => {
  const inAccepted = (change: object) => ({ ...v2, accepted: { ...accepted, ...change } });
  test.each([
    ['no object', 7, '', 'JSON object'],
    ['no version', { ...v1, x402Version: undefined }, 'x402Version', '1 or 2'],
    ['version 3', { ...v1, x402Version: 3 }, 'x402Version', '1 or 2'],
    ['no payload', { ...v1, payload: undefined }, 'payload', 'missing'],
    ['an unknown scheme', { ...v1, scheme: 'batch' }, 'scheme', 'exact'],
    ['an unknown network', { ...v1, network: 'atlantis' }, 'network', 'no network'],
    ['a prototype’s name', { ...v1, network: 'constructor' }, 'network', 'no network'],
    ['no network', { ...v1, network: undefined }, 'network', 'eip155'],
    ['an amount as a number', inAccepted({ amount: 10000 }), 'accepted.amount', 'digits'],
    ['no recipient', inAccepted({ payTo: undefined }), 'accepted.payTo', 'missing'],
    ['no time', inAccepted({ maxTimeoutSeconds: 0 }), 'accepted.maxTimeoutSeconds', 'above 0'],
    ['an unknown accepted network', inAccepted({ network: 'eip155:x' }), 'accepted.network', 'no network'],
    ['requirements that are none', { ...v2, accepted: 'all' }, 'accepted', 'missing'],
    ['two networks', { ...v2, network: 'eip155:1' }, 'network', 'accepted.network'],
    ['two schemes', { ...v2, scheme: 'upto' }, 'scheme', 'accepted.scheme'],
    ['a resource without a URL', { ...v2, resource: {} }, 'resource.url', 'characters'],
    ['a Permit2 payload', { ...v2, payload: { permit2Authorization: {} } }, 'payload.permit2Authorization', 'EIP-3009'],
    [
      'a short nonce',
      { ...v1, payload: { ...payload, authorization: { ...authorization, nonce: '0x01' } } },
      'payload.authorization.nonce',
      '32 bytes',
    ],
    ['no signature', { ...v1, payload: { authorization } }, 'payload.signature', 'signature'],
    ['an EVM payload on Solana', { ...v1, network: 'solana' }, 'payload.authorization.from', 'address'],
  ])('%s', (_, body, path, why) => {
    expect(readPayment(body)).toMatchObject({ ok: false, path, message: expect.stringContaining(why) });
  });
});

test('whatever arrives, the reader answers and does not throw', () => {
  const field = fc.constantFrom(...Object.keys(v2), 'scheme', 'network');
  const damaged = fc.tuple(field, fc.jsonValue()).map(([name, value]) => ({ ...v2, [name]: value }));
  fc.assert(
    fc.property(fc.oneof(fc.anything(), damaged), (body) => {
      const read = readPayment(body);
      if (!read.ok) expect(read.message).toMatch(/^The .*\.$/);
    }),
    { numRuns: 2_000 },
  );
});

test('a header is the base64 of the body', () => {
  const encode = (body: unknown) => Buffer.from(JSON.stringify(body)).toString('base64');
  expect(readPaymentHeader(encode(v2))).toEqual(readPayment(v2));
  expect(readPaymentHeader(`${encode(v2)}, ${encode(v2)}`)).toMatchObject({ ok: false, reason: 'not_base64' });
});
