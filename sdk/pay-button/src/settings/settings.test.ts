import { expect, test } from 'vitest';
import { type Attributes, readSettings } from './settings.ts';

const GOOD: Attributes = { apiUrl: 'https://pay.example/', publishableKey: 'pk_test_x', usdAmount: '12.50' };

function settingsOf(attributes: Attributes) {
  const read = readSettings(attributes);
  if (!read.ok) throw new Error(read.part);
  return read.settings;
}

test.each<[string, Attributes]>([
  ['api-url', { ...GOOD, apiUrl: 'pay.example' }],
  ['publishable-key', { ...GOOD, publishableKey: 'sk_live_x' }],
  ['mode', { ...GOOD, mode: 'later' }],
  ['usd-amount', { ...GOOD, usdAmount: '' }],
  ['usd-amount', { ...GOOD, usdAmount: '0' }],
  ['usd-amount', { ...GOOD, usdAmount: '12,50' }],
  ['amount', { ...GOOD, amount: '1.5' }],
  ['max-amount', { ...GOOD, maxAmount: '-1' }],
  ['max-timeout-seconds', { ...GOOD, maxTimeoutSeconds: '1h' }],
  ['metadata', { ...GOOD, metadata: '[1]' }],
  ['metadata', { ...GOOD, metadata: '{' }],
])('what can’t be meant is named: %s', (part, attributes) => {
  expect(readSettings(attributes)).toEqual({ ok: false, code: 'misconfigured', part });
});

test('empty attributes are absent, and the amount stays text', () => {
  const { request, mode } = settingsOf({ ...GOOD, tokenShortcode: '', payTo: '', metadata: '' });
  expect(request).toEqual({ usdAmount: '12.50' });
  expect(mode).toBe('exact');
});

test('the order goes along as metadata, unless the page says another one there', () => {
  expect(settingsOf({ ...GOOD, order: '7', metadata: '{"a":1}' }).request.metadata).toEqual({ a: 1, order: '7' });
  expect(settingsOf({ ...GOOD, order: '7', metadata: '{"order":"8"}' }).request.metadata).toEqual({ order: '8' });
});

test('an order is the same at any price; without one, the same request is the same thing', () => {
  const keyOf = (more: Attributes) => settingsOf({ ...GOOD, ...more }).key;
  expect(keyOf({ order: '7', usdAmount: '1' })).toBe(keyOf({ order: '7', usdAmount: '2' }));
  expect(keyOf({ order: '7' })).not.toBe(keyOf({ order: '8' }));
  expect(keyOf({ usdAmount: '1' })).not.toBe(keyOf({ usdAmount: '2' }));
  expect(keyOf({})).toBe(keyOf({}));
  expect(keyOf({ order: '7' })).not.toBe(keyOf({ order: '7', mode: 'upto' }));
  expect(keyOf({ order: '7' })).not.toBe(keyOf({ order: '7', publishableKey: 'pk_test_y' }));
});
