import { expect, test } from 'vitest';
import { customHeaderProblem, readCustomHeaders } from './custom-headers.ts';
import { endpointSecretBytes, newEndpointSecret } from './endpoint-secret.ts';

test('ordinary headers pass', () => {
  const headers = { Authorization: 'Bearer abc', 'X-Shop': 'a b\tc', 'x-empty': '' };
  expect(customHeaderProblem(headers)).toBeNull();
  expect(readCustomHeaders(JSON.stringify(headers))).toEqual(headers);
});

test.each([
  'Host',
  'Content-Length',
  'content-type',
  'Content-Anything',
  'X-SVC-Signature',
  'x-svc-new',
  'Transfer-Encoding',
  'Connection',
  'Keep-Alive',
  'TE',
  'Trailer',
  'Upgrade',
  'Proxy-Authorization',
  'Expect',
  'webhook-id',
  'Accept-Encoding',
  '',
  'two words',
  'colon:',
  'line\nend',
  'ü',
  'x'.repeat(65),
])('the name %j does not', (name) => {
  expect(customHeaderProblem({ [name]: 'x' })).toBe(name);
  expect(readCustomHeaders(JSON.stringify({ [name]: 'x' }))).toBeUndefined();
});

test.each(['a\r\nX-Evil: 1', 'a\u0000', '日本', 'x'.repeat(2_049)])('the value %j does not', (value) => {
  expect(customHeaderProblem({ 'x-shop': value })).toBe('x-shop');
});

test('twenty are enough, and none comes twice', () => {
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, 'x']));
  expect(customHeaderProblem(many(20))).toBeNull();
  expect(customHeaderProblem(many(21))).toBe('x-20');
  expect(customHeaderProblem({ 'x-a': '1', 'X-A': '2' })).toBe('x-a');
});

test.each(['[]', 'null', '"x"', '{"x-a":1}', '{'])('%s is no set of headers', (json) => {
  expect(readCustomHeaders(json)).toBeUndefined();
});

test('an endpoint secret reads back as its bytes, and nothing else reads as one', () => {
  const secret = newEndpointSecret((length) => new Uint8Array(length).fill(7));
  expect(endpointSecretBytes(secret)).toEqual(Buffer.alloc(32, 7));
  for (const bad of ['', 'whsec_', 'whsec_short', `whsec_${'A'.repeat(200)}`, secret.slice(6), 'whsec_!!!']) {
    expect(endpointSecretBytes(bad)).toBeUndefined();
  }
});
