import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readJson } from './read-json.ts';

const read = (text: string) => readJson(Buffer.from(text));
const valueOf = (text: string) => {
  const result = read(text);
  return result.ok ? result.value : result.code;
};

describe('dollars keep the digits that were written', () => {
  test.each([
    '1.00000000000000000001',
    '0.30000000000000004',
    '1.0',
    '1E2',
    '-0',
    '1e-30',
    '1e308',
    '1e999',
    '9007199254740993',
    '123456789012345678901234567890',
  ])('%s', (digits) => {
    expect(valueOf(`{"usdAmount":${digits}}`)).toEqual({ usdAmount: digits });
    expect(valueOf(`{"a":1,"amountUsd" : ${digits} }`)).toEqual({ a: 1, amountUsd: digits });
  });

  test('whatever stands before, between or behind them', () => {
    const body = '{"usdAmount":1.10,"metadata":{"usdAmount":1.10,"x":{"amountUsd":2.0}},"amountUsd":1.100}';
    expect(valueOf(body)).toEqual({
      usdAmount: '1.10',
      metadata: { usdAmount: 1.1, x: { amountUsd: 2 } },
      amountUsd: '1.100',
    });
  });

  test('the last of two equal names counts, as in any JSON', () => {
    expect(valueOf('{"usdAmount":1,"usdAmount":2.50}')).toEqual({ usdAmount: '2.50' });
    expect(valueOf('{"usdAmount":1,"usdAmount":"3"}')).toEqual({ usdAmount: '3' });
  });
});

test('everything else is what JSON.parse makes of it', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), (text) => {
      // `__proto__` is tested separately below.
      fc.pre(!text.includes('__proto__'));
      expect(valueOf(text)).toEqual(JSON.parse(text));
    }),
  );
});

test('an empty body is none, and a mark of the byte order is skipped', () => {
  expect(read('')).toEqual({ ok: true, value: undefined });
  expect(valueOf('\uFEFF{"a":1}')).toEqual({ a: 1 });
});

test('a prototype in the body goes nowhere', () => {
  const value = valueOf('{"__proto__":{"admin":true},"a":{"__proto__":1}}') as { a: object; admin?: boolean };
  expect(Object.keys(value)).toEqual(['a']);
  expect(value.admin).toBeUndefined();
  expect(Object.keys(value.a)).toEqual([]);
});

test.each(['{', 'NaN', '{"a":01}', "{'a':1}", '{"a":1,}', 'undefined', '{"a":\n\u0001}', ' '])(
  '%j is not JSON',
  (text) => {
    expect(valueOf(text)).toBe('invalid_json');
  },
);

test('bytes that are not UTF-8 are not JSON', () => {
  expect(readJson(Uint8Array.of(0x22, 0xff, 0x22))).toEqual({ ok: false, code: 'invalid_json' });
});

test('nesting that would exhaust a stack is refused before it is read', () => {
  expect(read('['.repeat(60_000))).toEqual({ ok: false, code: 'malformed_request' });
  expect(read(`${'{"a":'.repeat(65)}1${'}'.repeat(65)}`)).toEqual({ ok: false, code: 'malformed_request' });
  expect(read(`${'['.repeat(64)}${']'.repeat(64)}`)).toMatchObject({ ok: true });
  expect(read(JSON.stringify('[{"\\'.repeat(500)))).toMatchObject({ ok: true });
});

test('no bytes make it throw', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      readJson(bytes);
    }),
  );
});
