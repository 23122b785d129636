import { expect, test } from 'vitest';
import { readPlan } from './read-plan.ts';

const address = (digit: string) => `0x${digit.repeat(40)}`;
const sound = {
  label: 'main',
  council: [address('1')],
  adminDelaySeconds: 172_800,
  feeRecipient: address('2'),
  registrar: address('3'),
  guardian: address('4'),
  recovery: address('5'),
  relayers: [address('6'), address('7')],
  tokens: [
    {
      address: address('8'),
      callGas: 200_000,
      operatorHourlyCapAtomic: '50000000000',
      recoveryHourlyCapAtomic: '1000000000',
    },
  ],
};
const read = (change: object) => readPlan(JSON.stringify({ ...sound, ...change }));
const problemsOf = (change: object) => {
  const outcome = read(change);
  return outcome.ok ? [] : outcome.problems;
};

test('a sound plan is read with exact amounts', () => {
  const outcome = read({});
  expect(outcome.ok && outcome.plan.tokens[0]?.operatorHourlyCapAtomic).toBe(50_000_000_000n);
  expect(outcome.ok && outcome.plan.relayers).toEqual(sound.relayers);
});

test('an amount written as a number is refused: it may have lost digits', () => {
  const token = { ...sound.tokens[0], operatorHourlyCapAtomic: 50_000_000_000 };
  expect(problemsOf({ tokens: [token] })).toContain('operatorHourlyCapAtomic: a string of digits is needed');
});

test('all problems are told at once, by name', () => {
  expect(problemsOf({ council: 'me', label: 7, adminDelaySeconds: '1' })).toEqual([
    'label: a text is needed',
    'council: a list is needed',
    'adminDelaySeconds: a whole number is needed',
  ]);
});

test('one key for two roles, a missing key and an unusable address are refused', () => {
  expect(problemsOf({ guardian: sound.registrar })).toEqual([`${sound.registrar} is both registrar and guardian`]);
  expect(problemsOf({ relayers: [] })).toEqual(['relayers: at least one account is needed']);
  expect(problemsOf({ council: [] })).toEqual(['council: at least one account is needed']);
  expect(problemsOf({ recovery: address('0') })).toEqual([`recovery: ${address('0')} is no usable address`]);
  expect(problemsOf({ feeRecipient: '0x12' })).toEqual(['feeRecipient: 0x12 is no usable address']);
  expect(problemsOf({ adminDelaySeconds: -1 })).toHaveLength(1);
});

test('a token needs a usable address and a sensible gas limit', () => {
  expect(problemsOf({ tokens: [{ ...sound.tokens[0], callGas: 59_999 }] })).toHaveLength(1);
  expect(problemsOf({ tokens: [{ ...sound.tokens[0], address: address('0') }] })).toHaveLength(1);
});

test('what is not JSON is refused', () => {
  expect(readPlan('{')).toEqual({ ok: false, code: 'plan_invalid', problems: ['the plan is not JSON'] });
});
