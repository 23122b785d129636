import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { errorBody } from '../wire/error-body.ts';
import { ERRORS, type ErrorCode, isErrorCode } from './catalogue.ts';
import { errorBodyOf } from './error-body-of.ts';
import { RESULTS } from './results.ts';

const codes = Object.keys(ERRORS) as ErrorCode[];

test('the two spellings of the interface are kept to the letter', () => {
  expect(isErrorCode('x402_upto_settlement_requires_secret_key')).toBe(true);
  expect(isErrorCode('x402_minimum_amount_not_met')).toBe(true);
  expect(isErrorCode('toString')).toBe(false);
});

test('no sentence sends a payer to a way of paying that nobody credits', () => {
  for (const code of codes) expect(ERRORS[code].message).not.toMatch(/regular|pay\(\)/i);
});

/** Words that ask for something; `must` and `takes` say how it has to be. */
const WAY_OUT =
  /\b(?:add|ask|at most|call|check|choose|compare|copy|create|delete|enable|give|lists|leave out|must|name|needs?|pay|prepare|read|repeat|send|settle|settled by|sign|split|takes|try|use|visible|wait)\b/i;

test.each(codes.filter((code) => ERRORS[code].actor === 'merchant' || ERRORS[code].status >= 400))(
  '%s tells its reader what to do',
  (code) => {
    expect(ERRORS[code].message).toMatch(WAY_OUT);
  },
);

test.each(codes)('%s has a fitting status, a sentence and the flat shape', (code) => {
  const { status, message } = ERRORS[code];
  expect([200, 400, 401, 403, 404, 405, 408, 409, 413, 415, 421, 422, 429, 500, 502, 503]).toContain(status);
  expect(message).toMatch(/^[A-Z].*\.$/);
  const body = errorBodyOf({ code, requestId: 'req_1', docsUrl: 'docs/errors' });
  expect(errorBody.parse(body)).toEqual(body);
  expect(body.moneyMoved).toBe('no');
});

test('a sentence of its own takes the place of the catalogue’s, and nothing else changes', () => {
  const plain = errorBodyOf({ code: 'token_unknown', requestId: 'req_1', docsUrl: 'docs' });
  const told = errorBodyOf({ code: 'token_unknown', requestId: 'req_1', docsUrl: 'docs', message: 'Use another.' });
  expect(told).toEqual({ ...plain, message: 'Use another.' });
});

test('what a page loads has every code without a sentence in the answer, and every one that a payer can resolve', () => {
  expect(codes.filter((code) => ERRORS[code].status === 200)).toEqual(Object.keys(RESULTS));
  expect(codes.filter((code) => ERRORS[code].actor === 'payer' && ERRORS[code].status !== 200)).toEqual([]);
});

test('what can be repeated unchanged is never a mistake in the request', () => {
  for (const code of codes) {
    const { status, retryable } = ERRORS[code];
    if (retryable) expect([200, 408, 409, 429, 500, 502, 503]).toContain(status);
    if (status >= 500) expect(retryable).toBe(true);
  }
});

test('the errors page lists exactly the codes of the catalogue, with their status and sentence', () => {
  const page = readFileSync(new URL('../../../../docs/reference/errors.md', import.meta.url), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| <a'));
  const expected = codes.map((code) => {
    const { status, message, retryable, actor } = ERRORS[code];
    return `| <a id="${code}"></a>\`${code}\` | ${status} | ${retryable ? 'yes' : 'no'} | ${actor} | ${message} |`;
  });
  expect(rows).toEqual(expected);
});
