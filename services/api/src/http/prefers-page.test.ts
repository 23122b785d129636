import fc from 'fast-check';
import { expect, test } from 'vitest';
import { prefersPage } from './prefers-page.ts';

test.each([
  ['Chrome', 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8'],
  ['Firefox', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'],
  ['Safari', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'],
  ['a page that asks for a page', 'text/html,application/xhtml+xml'],
  ['JSON as second choice', 'TEXT/HTML ; charset=utf-8, application/XHTML+xml, application/json;q=0.5'],
])('%s gets the page', (_, accept) => {
  expect(prefersPage(accept)).toBe(true);
});

test.each([
  ['nothing said', undefined],
  ['fetch and curl', '*/*'],
  ['axios', 'application/json, text/plain, */*'],
  ['JSON and HTML alike', 'application/json, text/html'],
  ['HTML as second choice', 'application/json, text/html;q=0.9'],
  ['Java, told nothing', 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2'],
  ['HTML alone', 'text/html'],
  ['HTML refused', 'text/html;q=0, */*'],
  ['another kind of text', 'text/*'],
  ['an event stream', 'text/event-stream'],
  ['an empty header', ''],
])('%s gets x402', (_, accept) => {
  expect(prefersPage(accept)).toBe(false);
});

test('any header is answered, never thrown at', () => {
  fc.assert(fc.property(fc.string(), (text) => typeof prefersPage(text) === 'boolean'));
});
