import { expect, test } from 'vitest';
import { type Attributes, misconfiguredLine, readSettings } from './settings.ts';

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
  const { payment, mode } = settingsOf({ ...GOOD, tokenShortcode: '', payTo: '', metadata: '', clientSecret: '' });
  expect(payment).toEqual({ publishableKey: 'pk_test_x', request: { usdAmount: '12.50' } });
  expect(mode).toBe('exact');
});

test('the order goes along as metadata, unless the page says another one there', () => {
  const noted = (metadata: string) => settingsOf({ ...GOOD, order: '7', metadata }).payment.request;
  expect(noted('{"a":1}')).toMatchObject({ metadata: { a: 1, order: '7' } });
  expect(noted('{"order":"8"}')).toMatchObject({ metadata: { order: '8' } });
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

const INTENT: Attributes = { apiUrl: 'https://pay.example/', paymentIntentId: 'pi_1', clientSecret: 'test_acct_1_abc' };

test.each<[string, Attributes]>([
  ['api-url', { ...INTENT, apiUrl: '' }],
  ['payment-intent-id', { ...INTENT, paymentIntentId: '' }],
  ['payment-intent-id', { ...INTENT, paymentIntentId: 'pi_1/cancel' }],
  ['client-secret', { ...INTENT, clientSecret: '' }],
  ['client-secret', { ...INTENT, clientSecret: 'sk_live_x' }],
  ['mode', { ...INTENT, mode: 'later' }],
  ['amount', { ...INTENT, amount: '1' }],
  ['token-shortcode', { ...INTENT, tokenShortcode: 'base_nothing' }],
  ['metadata', { ...INTENT, metadata: '{}' }],
  ['usd-amount', { ...INTENT, usdAmount: '12,50' }],
])('of an intent of the server, what can’t be meant or was said by the server is named: %s', (part, attributes) => {
  expect(readSettings(attributes)).toEqual({ ok: false, code: 'misconfigured', part });
});

test('an intent of the server needs its secret and no key, and the dollars and the token that are shown are held against it', () => {
  const shown = { usdAmount: '12.50', tokenShortcode: 'base_usdc', maxAmount: '9' };
  const { payment } = settingsOf({ ...INTENT, publishableKey: 'pk_test_x', ...shown });
  expect(payment).toEqual({
    request: {
      paymentIntentId: 'pi_1',
      clientSecret: 'test_acct_1_abc',
      expect: shown,
    },
  });
});

test('what is kept in the browser about an intent names it, and does not have its secret', () => {
  const { key } = settingsOf(INTENT);
  expect(key).toContain('pi_1');
  expect(key).not.toContain('test_acct_1_abc');
  expect(settingsOf({ ...INTENT, order: '7', usdAmount: '3' }).key).toBe(key);
  expect(settingsOf({ ...INTENT, paymentIntentId: 'pi_2' }).key).not.toBe(key);
});

test('a line for the console names the attribute and what it takes', () => {
  expect(misconfiguredLine('publishable-key')).toBe(
    '<svc-pay-button>: the attribute publishable-key is missing or not valid: ' +
      'a key that begins with pk_test_ or pk_live_, never a secret key.',
  );
  expect(misconfiguredLine('max-timeout-seconds')).toContain(
    'the attribute max-timeout-seconds is missing or not valid',
  );
});
