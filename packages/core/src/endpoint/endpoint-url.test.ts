import { expect, test } from 'vitest';
import { isDeniedAddress } from './denied-address.ts';
import { checkEndpointUrl, DENIED_PORTS } from './endpoint-url.ts';

const deniedPorts = new Set(DENIED_PORTS);
const check = (url: string, mode: 'live' | 'test' = 'live') => checkEndpointUrl(url, { mode, deniedPorts });

test('a live endpoint has a name and speaks https', () => {
  expect(check('https://shop.example:8443/hooks?x=1')).toEqual({
    ok: true,
    target: {
      origin: 'https://shop.example:8443',
      hostname: 'shop.example',
      isAddress: false,
      port: 8443,
      secure: true,
      pathAndQuery: '/hooks?x=1',
    },
  });
});

test.each<[string, string]>([
  ['http://shop.example/', 'url_scheme'],
  ['ftp://shop.example/', 'url_scheme'],
  ['file:///etc/passwd', 'url_scheme'],
  ['https://user@shop.example/', 'url_has_credentials'],
  ['https://user:pass@shop.example/', 'url_has_credentials'],
  ['https://127.0.0.1\\@shop.example/', 'url_malformed'],
  ['https://shop.example/\nhost: x', 'url_malformed'],
  ['https://', 'url_malformed'],
  ['shop.example', 'url_malformed'],
  ['', 'url_malformed'],
  ['https://shop.example:0/', 'url_port_denied'],
  ['https://shop.example:99999/', 'url_malformed'],
  [`https://shop.example/${'a'.repeat(2_048)}`, 'url_too_long'],
  ...[22, 25, 5432, 6379].map((port): [string, string] => [`https://shop.example:${port}/`, 'url_port_denied']),
  ['https://8.8.8.8/', 'url_is_an_address'],
  ['https://[2606:4700::1111]/', 'url_is_an_address'],
  ['https://1.1/', 'url_is_an_address'],
])('live refuses %s', (url, code) => {
  expect(check(url)).toEqual({ ok: false, code });
});

// A URL parser turns many notations into an address; the resulting address is judged.
test.each([
  ['http://0x7f.1/', '127.0.0.1'],
  ['http://2130706433/', '127.0.0.1'],
  ['http://0177.0.0.1/', '127.0.0.1'],
  ['http://127.1/', '127.0.0.1'],
  ['http://１２７.０.０.１/', '127.0.0.1'],
  ['http://①②⑦.⓪.⓪.①/', '127.0.0.1'],
  ['http://[::ffff:127.0.0.1]/', '::ffff:7f00:1'],
  ['http://[::1]/', '::1'],
  ['http://169.254.169.254/latest/meta-data/', '169.254.169.254'],
  ['http://[64:ff9b::a9fe:a9fe]/', '64:ff9b::a9fe:a9fe'],
  ['http://[2002:7f00:1::]/', '2002:7f00:1::'],
  ['http://0/', '0.0.0.0'],
])('%s is an address, live refuses it and test mode judges %s', (url, address) => {
  const checked = check(url, 'test');
  expect(checked).toMatchObject({ ok: true, target: { hostname: address, isAddress: true } });
  expect(isDeniedAddress(address, { allowLoopback: false, alsoDenied: [] })).toBe(true);
  expect(check(url.replace('http:', 'https:'))).toEqual({ ok: false, code: 'url_is_an_address' });
});

test('a name with a dot at its end is a name like any other', () => {
  expect(check('https://localhost./')).toMatchObject({
    ok: true,
    target: { hostname: 'localhost.', isAddress: false },
  });
});
