import type { Id } from '@svc-pay/protocol/ids';
import { describe, expect, test } from 'vitest';
import {
  ANSWER_GRACE_MS,
  isAuthorizationSpent,
  judgeVerify,
  type LeaseRefusal,
  type LeaseRequest,
  type PayerExposure,
} from './judge-verify-lease.ts';
import type { AuthorizationLease, LeaseFacts } from './lease.ts';

const NOW_MS = 1_700_000_000_000;
const accountId = 'acct_1' as Id<'account'>;
const other = 'acct_2' as Id<'account'>;
const intentId = 'pi_1' as Id<'paymentIntent'>;
const NOTHING = { leased: 0n, pending: 0n };

const request = (change: Partial<LeaseRequest> = {}): LeaseRequest => ({
  accountId,
  mode: 'test',
  amount: 100n,
  balance: 100n,
  unsettledLimit: undefined,
  ...change,
});
const lease = (change: Partial<AuthorizationLease> = {}): AuthorizationLease => ({
  accountId,
  mode: 'test',
  recipient: '0xAB',
  amount: 100n,
  validBeforeSeconds: BigInt(NOW_MS / 1_000 + 300),
  call: 3,
  callAtMs: NOW_MS - 1_000,
  answer: 'arrived',
  intentId: null,
  ...change,
});
const judge = (facts: Partial<LeaseFacts>, exposure: PayerExposure = NOTHING, change: Partial<LeaseRequest> = {}) =>
  judgeVerify(request(change), { lease: undefined, claim: undefined, ...facts }, exposure, NOW_MS);
const ended = { validBeforeSeconds: BigInt(NOW_MS / 1_000) };

describe('the lease', () => {
  test('is granted where nobody has one, as its first call', () => {
    expect(judge({})).toEqual({ granted: true, call: 1 });
  });

  test.each<[string, Partial<AuthorizationLease>]>([
    ['the answer of the call that had it was lost', { answer: 'lost' }],
    ['nobody marked that answer in time', { answer: null, callAtMs: NOW_MS - ANSWER_GRACE_MS }],
    ['the leased message can no longer be executed', ended],
    ['that message ended unclaimed after a settle began', { ...ended, intentId }],
    ['that message ended in another account', { ...ended, accountId: other }],
  ])('is granted again, as its next call, if %s', (_, change) => {
    expect(judge({ lease: lease(change) })).toEqual({ granted: true, call: 4 });
  });

  test.each<[LeaseRefusal, string, Partial<AuthorizationLease>]>([
    ['leased', 'another call has it and was answered', {}],
    ['leased', 'another call has it and is being answered', { answer: null, callAtMs: NOW_MS - ANSWER_GRACE_MS + 1 }],
    ['leased_elsewhere', 'another account has it', { accountId: other }],
    ['leased_elsewhere', 'another account has it, whose answer was lost', { accountId: other, answer: 'lost' }],
    ['leased_elsewhere', 'the other mode has it', { mode: 'live' }],
    ['leased', 'a settle over its limit has it', { answer: 'unclaimed' }],
    ['spent', 'a settle has begun', { intentId }],
    [
      'spent',
      'a settle has begun and was refused: the same settle may still claim it',
      { intentId, answer: 'unclaimed' },
    ],
    ['spent', 'a settle has begun and its answer was lost', { intentId, answer: 'lost' }],
    ['spent', 'a settle has begun and said pending', { intentId, answer: 'pending' }],
  ])('is refused as %s: %s', (refusal, _, change) => {
    expect(judge({ lease: lease(change) })).toEqual({ granted: false, refusal });
  });

  test('is refused for a claimed authorization, whoever claimed it and whatever the lease says', () => {
    for (const claimant of [accountId, other]) {
      const claim = { accountId: claimant, mode: 'test', intentId } as const;
      for (const known of [undefined, lease({ answer: 'lost' }), lease(ended)])
        expect(judge({ lease: known, claim })).toEqual({ granted: false, refusal: 'spent' });
    }
  });
});

test.each<[string, Partial<LeaseFacts>, boolean]>([
  ['nobody has it', {}, false],
  ['a verify has it', { lease: lease() }, false],
  ['a settle has begun with it', { lease: lease({ intentId }) }, true],
  ['a settle began and it ended unclaimed', { lease: lease({ intentId, ...ended }) }, false],
  ['it is claimed', { claim: { accountId: other, mode: 'test', intentId } }, true],
])('whether an authorization is spent: %s', (_, facts, spent) => {
  expect(isAuthorizationSpent({ lease: undefined, claim: undefined, ...facts }, NOW_MS)).toBe(spent);
});

describe('exposure of the payer', () => {
  test('what is not summed is too much', () => {
    expect(judge({}, { ...NOTHING, uncounted: true })).toEqual({ granted: false, refusal: 'over_limit' });
  });

  test.each<[string, bigint, bigint, bigint | undefined, boolean]>([
    ['the balance is for this payment alone', 0n, 0n, 100n, true],
    ['it also covers what is leased and pending', 30n, 20n, 150n, true],
    ['a leased unit is missing', 30n, 20n, 149n, false],
    ['a pending payment needs all of it', 0n, 1n, 100n, false],
    ['the chain family tells no balance', 30n, 20n, undefined, true],
  ])('%s', (_, leased, pending, balance, granted) => {
    const verdict = judge({}, { leased, pending }, { balance });
    expect(verdict).toEqual(granted ? { granted, call: 1 } : { granted, refusal: 'over_balance' });
  });

  test('a payer whose gas budget is spent gets no lease', () => {
    const lost = { hourAtomic: 5n, dayAtomic: 5n };
    const budget = (hourAtomic: bigint) => ({ lost, limit: { hourAtomic, dayAtomic: 100n } });
    expect(judge({}, { ...NOTHING, payerBudget: budget(6n) })).toMatchObject({ granted: true });
    expect(judge({}, { ...NOTHING, payerBudget: budget(5n) })).toEqual({ granted: false, refusal: 'payer_spent' });
  });

  test('a limit on unsettled value never refuses the only payment of a payer', () => {
    expect(judge({}, NOTHING, { unsettledLimit: 10n })).toMatchObject({ granted: true });
    const rich = { balance: 10_000n, unsettledLimit: 110n };
    expect(judge({}, { leased: 10n, pending: 0n }, rich)).toMatchObject({ granted: true });
    expect(judge({}, { leased: 5n, pending: 6n }, rich)).toEqual({ granted: false, refusal: 'over_limit' });
  });
});
