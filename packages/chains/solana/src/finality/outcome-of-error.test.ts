import { expect, test } from 'vitest';
import { outcomeOfError } from './outcome-of-error.ts';

test('an error ends a payment only where the token itself refused it', () => {
  expect(outcomeOfError({ InstructionError: [2n, { Custom: 1n }] })).toBe('insufficient_funds');
  expect(outcomeOfError({ InstructionError: [2n, { Custom: 17n }] })).toBe('pull_refused');
  expect(outcomeOfError({ InstructionError: [2n, 'InvalidAccountData'] })).toBe('pull_refused');
  for (const passing of ['BlockhashNotFound', 'AccountInUse', 'ClusterMaintenance', 'SomethingNew']) {
    expect(outcomeOfError(passing)).toBe('unsure');
  }
});

test('what is on the chain already is held, never failed', () => {
  expect(outcomeOfError('AlreadyProcessed')).toBe('authorization_used');
});

test('a relayer that can’t pay is nobody’s failed payment', () => {
  expect(outcomeOfError('InsufficientFundsForFee')).toBe('no_gas');
  expect(outcomeOfError('AccountNotFound')).toBe('no_gas');
});
