import { randomBytes } from 'node:crypto';
import { makeApiKey } from '@svc-pay/core';
import { expect, test } from 'vitest';
import { redact } from './redact.ts';

const key = makeApiKey('secret', 'live', randomBytes);

test.each([
  `{"msg":"no such key ${key}"}`,
  `{"url":"/a?publishableKey=${key}&b=1"}`,
  `{"authorization":"Bearer ${key}"}`,
  `{"stack":"Error: ${key}\\n at x"}`,
  `${key}${key}`,
])('a key is gone from %s', (line) => {
  expect(redact(line)).not.toContain(key.slice(8));
});

test('a key of another form is gone behind its name', () => {
  expect(redact('{"a":"Bearer canary-1"}')).toBe('{"a":"Bearer [redacted]"}');
  expect(redact('GET /a?publishableKey=canary-2&b=1')).toBe('GET /a?publishableKey=[redacted]&b=1');
  expect(redact('{"publishableKey":"canary-3"}')).toBe('{"publishableKey":"[redacted]"}');
});

test('an address loses its password and keeps the rest', () => {
  expect(redact('connect postgres://svc:canary@db:5432/svc failed')).toBe(
    'connect postgres://svc:[redacted]@db:5432/svc failed',
  );
});

test('ordinary lines stay as they are', () => {
  const line = '{"route":"/sdk/payments/intents/:id","status":200,"account":"acct_01","ms":1.5,"at":"12:00:00"}';
  expect(redact(line)).toBe(line);
});
