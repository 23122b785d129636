import { expect, test } from 'vitest';
import { type PublishableUse, readOrigin, rightsRefusal } from './publishable-rights.ts';

const SHOP = 'https://shop.example';
const use = (change: Partial<PublishableUse> = {}): PublishableUse => ({ origin: SHOP, creates: false, ...change });
const everything = { origins: null, creates: true };
const listed = { origins: [SHOP], creates: true };

test.each([
  ['without a list every page', everything, use({ origin: 'https://evil.example' }), undefined],
  ['a listed page', listed, use(), undefined],
  ['a page of another site', listed, use({ origin: 'https://evil.example' }), 'origin_not_allowed'],
  ['a page whose host begins alike', listed, use({ origin: 'https://shop.example.evil' }), 'origin_not_allowed'],
  ['the same host by http', listed, use({ origin: 'http://shop.example' }), 'origin_not_allowed'],
  ['a sandboxed frame or a file', listed, use({ origin: 'null' }), 'origin_not_allowed'],
  ['an agent or a server, which sends no origin', listed, use({ origin: undefined }), undefined],
  ['a list that is empty', { origins: [], creates: true }, use(), 'origin_not_allowed'],
  ['creating', everything, use({ creates: true }), undefined],
  [
    'creating where only the secret key does',
    { origins: null, creates: false },
    use({ creates: true }),
    'key_kind_not_allowed',
  ],
  ['paying where only the secret key creates', { origins: null, creates: false }, use(), undefined],
  [
    'creating from another site',
    { origins: [SHOP], creates: false },
    use({ origin: 'null', creates: true }),
    'origin_not_allowed',
  ],
] as const)('%s', (_, rights, used, refusal) => {
  expect(rightsRefusal(rights, used)).toBe(refusal);
});

test.each([
  ['https://shop.example', SHOP],
  ['https://SHOP.example/', SHOP],
  ['https://shop.example:443', SHOP],
  ['https://shop.example:8443', 'https://shop.example:8443'],
  ['http://localhost:3000', 'http://localhost:3000'],
  ['http://shop.example', undefined],
  ['https://shop.example/path', undefined],
  ['https://user@shop.example', undefined],
  ['https://shop.example?x', undefined],
  ['shop.example', undefined],
  ['*', undefined],
  ['null', undefined],
  ['chrome-extension://abc', undefined],
  ['', undefined],
])('the origin %j is kept in live mode as %j', (text, origin) => {
  expect(readOrigin(text, 'live')).toBe(origin);
});

test('test mode takes pages by http', () => {
  expect(readOrigin('http://shop.test', 'test')).toBe('http://shop.test');
});
