import { describe, expect, test } from 'vitest';
import type { MinedBatch } from '../lane/lane-chain.ts';
import type { AuthorizationOutcome } from './authorization-outcome.ts';
import { decideOnHeld, decideOnOutcome } from './decide-on-outcome.ts';

const mined = { transactionId: '0x1' } as MinedBatch;
const stranded: AuthorizationOutcome = { outcome: 'stranded', transactionId: '0x2', logIndex: 4 };
const burned: AuthorizationOutcome = { outcome: 'burned', transactionId: '0x3' };
const preempted: AuthorizationOutcome = { outcome: 'preempted', transactionId: '0x4' };
const untold: AuthorizationOutcome = { outcome: 'untold' };

describe('a held payment', () => {
  const taken = (outcome: AuthorizationOutcome) => decideOnHeld({ verdict: 'taken', outcome });

  test('that the chain settled is completed by that proof', () => {
    expect(taken({ outcome: 'settled', mined })).toEqual({ action: 'complete', mined });
  });

  test('whose authorization is gone without money fails with the reason', () => {
    expect(taken(burned)).toMatchObject({ action: 'fail', code: 'authorization_already_used', transactionId: '0x3' });
    expect(taken({ outcome: 'burned', transactionId: null })).toMatchObject({ action: 'fail', transactionId: null });
    expect(taken(preempted)).toMatchObject({ action: 'fail', code: 'intent_not_payable', transactionId: '0x4' });
  });

  test('is queued when nothing blocks it, and waits while nothing is certain', () => {
    expect(decideOnHeld({ verdict: 'free' })).toEqual({ action: 'queue' });
    expect(decideOnHeld({ verdict: 'undecided' })).toEqual({ action: 'wait' });
  });

  test('that no node can explain, or that has no transaction, gets no result: it is reported', () => {
    expect(taken(untold)).toEqual({ action: 'report', event: 'held_payment_unexplained' });
    const without = { action: 'report', event: 'held_payment_without_transaction' };
    expect(decideOnHeld({ verdict: 'untraceable' })).toEqual(without);
  });
});

describe.each([null, 'failed', 'canceled'])('an authorization whose settlement is %s', (settlement) => {
  const decided = (outcome: AuthorizationOutcome) => decideOnOutcome(settlement, outcome);

  test('is closed only if it was burned', () => {
    expect(decided(burned)).toEqual({ action: 'close' });
  });

  test('never completes or fails a payment', () => {
    for (const outcome of [{ outcome: 'settled', mined }, burned, preempted, untold] as const) {
      expect(['close', 'report']).toContain(decided(outcome).action);
    }
  });

  test('that the chain settled after all, or that nobody can explain, is reported', () => {
    const told = decided({ outcome: 'settled', mined });
    expect(told).toEqual({ action: 'report', event: 'failed_payment_settled', transactionId: '0x1' });
    for (const outcome of [preempted, untold])
      expect(decided(outcome)).toEqual({ action: 'report', event: 'authorization_use_unexplained' });
  });
});

test.each([null, 'held', 'failed'])(
  'stranded money is recorded where it lies, beside a settlement that is %s',
  (settlement) => {
    const position = { transactionId: '0x2', logIndex: 4 };
    expect(decideOnOutcome(settlement, stranded)).toEqual({ action: 'record_stranding', position });
  },
);
