import { expect, test } from 'vitest';
import { SETTLEMENT_TRANSITIONS } from '../settlement/settlement-transitions.ts';
import { statusesIn } from '../transitions.ts';
import { decideDirectFailure, type ExpiryFacts } from './decide-direct-failure.ts';

const facts: ExpiryFacts = {
  settlement: 'held',
  validBeforeSeconds: 500n,
  state: 'over',
  readUntilSeconds: 500n,
  hasUnappliedLog: false,
  refusal: null,
};

test.each([
  ['its window is over, unused, and all of it is read', {}, 'authorization_expired'],
  ['the chain refused it before', { refusal: 'insufficient_funds' }, 'insufficient_funds'],
  ['a final block is not past its window', { state: 'open' }, undefined],
  ['the authorization is used', { state: 'used' }, undefined],
  ['the last block of its window is not read', { readUntilSeconds: 499n }, undefined],
  ['its token is not read', { readUntilSeconds: undefined }, undefined],
  ['a log about it waits', { hasUnappliedLog: true }, undefined],
] as const)('%s', (_, change, code) => {
  expect(decideDirectFailure({ ...facts, ...change })).toBe(code);
});

test('only a payment that no lane has fails', () => {
  const failing = statusesIn(SETTLEMENT_TRANSITIONS).filter(
    (settlement) => decideDirectFailure({ ...facts, settlement }) !== undefined,
  );
  expect(failing).toEqual(['queued', 'held']);
});
