import { expect, test } from 'vitest';
import type { CaseFile } from './case-file.ts';
import { checkClients } from './check-clients.ts';

const KILL = { kind: 'api killed', fromMs: 10_000, untilMs: 10_100 };

function violations(call: { at: number; askedAt: number; attempt: number; http: number | null }) {
  const run = { faults: [KILL], calls: [{ journey: 1, call: 'settle', ...call }] };
  return checkClients({ run } as unknown as CaseFile).map(({ text }) => text);
}

test('a good answer is good, whenever it comes', () => {
  expect(violations({ askedAt: 9_000, at: 11_000, attempt: 0, http: 200 })).toEqual([]);
});

test('who was cut off by the kill itself is nobody’s fault', () => {
  expect(violations({ askedAt: 9_900, at: 10_050, attempt: 0, http: null })).toEqual([]);
});

test('a bad answer is a violation, also while an API is killed', () => {
  expect(violations({ askedAt: 9_900, at: 10_050, attempt: 0, http: 503 })).toEqual([
    'journey 1: settle was answered 503',
  ]);
});

test('a cut without a kill is a violation', () => {
  expect(violations({ askedAt: 20_000, at: 23_000, attempt: 0, http: null })).toEqual([
    'journey 1: settle was not answered for 3000 ms, and no API was killed then',
  ]);
});

test('a repeated request that is not answered is a violation', () => {
  expect(violations({ askedAt: 10_060, at: 10_080, attempt: 1, http: null })).toEqual([
    'journey 1: settle was not answered by the other API either',
  ]);
});
