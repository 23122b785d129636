import type { Id } from '@svc-pay/protocol/ids';
import { describe, expect, test } from 'vitest';
import { judgeSettle, type LeaseSettle, type LeaseStep, MAX_SETTLE_ANSWER_MS } from './judge-settle-lease.ts';
import { ANSWER_GRACE_MS } from './judge-verify-lease.ts';
import type { AuthorizationLease, LeaseClaim, LeaseFacts } from './lease.ts';

const NOW_MS = 1_700_000_000_000;
const accountId = 'acct_1' as Id<'account'>;
const other = 'acct_2' as Id<'account'>;
const intentId = 'pi_1' as Id<'paymentIntent'>;
const otherIntent = 'pi_2' as Id<'paymentIntent'>;

const terms = { recipient: '0xAB', amount: 100n, validBeforeSeconds: BigInt(NOW_MS / 1_000 + 300) };
const request: LeaseSettle = { accountId, mode: 'test', ...terms };
const lease = (change: Partial<AuthorizationLease> = {}): AuthorizationLease => ({
  accountId,
  mode: 'test',
  ...terms,
  recipient: '0xab',
  call: 3,
  callAtMs: NOW_MS - 1_000,
  answer: 'arrived',
  intentId: null,
  ...change,
});
const begun = (change: Partial<AuthorizationLease> = {}) => lease({ intentId, ...change });
const claimed: LeaseClaim = { accountId, mode: 'test', intentId };
const ended = { validBeforeSeconds: BigInt(NOW_MS / 1_000) };
const longAgoMs = NOW_MS - MAX_SETTLE_ANSWER_MS - ANSWER_GRACE_MS;

const BEGIN = (call: number): LeaseStep => ({ does: 'begin', call });
const JOIN: LeaseStep = { does: 'join', call: 4, intentId };
const WAIT: LeaseStep = { does: 'wait', intentId };
const REPEAT: LeaseStep = { does: 'repeat', intentId };
const ELSEWHERE: LeaseStep = { does: 'refuse', refusal: 'leased_elsewhere' };

test.each<[string, Partial<LeaseFacts>, LeaseStep]>([
  ['a settle without a verify begins', {}, BEGIN(1)],
  ['the settle of a verified payload begins', { lease: lease() }, BEGIN(4)],
  ['a settle begins before the answer of its verify is marked', { lease: lease({ answer: null }) }, BEGIN(4)],
  ['a settle begins after the answer of its verify was lost', { lease: lease({ answer: 'lost' }) }, BEGIN(4)],
  ['another account has the lease', { lease: lease({ accountId: other }) }, ELSEWHERE],
  ['the other mode has the lease', { lease: lease({ mode: 'live' }) }, ELSEWHERE],
  ['the lease of another account has ended', { lease: lease({ accountId: other, ...ended }) }, BEGIN(4)],
  ['an earlier call said pending', { lease: begun({ answer: 'pending' }), claim: claimed }, JOIN],
  ['the answer of an earlier call was lost', { lease: begun({ answer: 'lost' }), claim: claimed }, JOIN],
  ['nobody marked the answer in time', { lease: begun({ answer: null, callAtMs: longAgoMs }), claim: claimed }, JOIN],
  [
    'an earlier call is still waiting',
    { lease: begun({ answer: null, callAtMs: longAgoMs + 1 }), claim: claimed },
    WAIT,
  ],
  ['an earlier call has begun and not claimed yet', { lease: begun({ answer: null }) }, WAIT],
  ['its process ended before the claim', { lease: begun({ answer: null, callAtMs: longAgoMs }) }, JOIN],
  ['an earlier call was refused before the claim', { lease: begun({ answer: 'unclaimed' }) }, JOIN],
  ['its answer arrived before the claim', { lease: begun() }, JOIN],
  ['an earlier settle over its limit did not begin', { lease: lease({ answer: 'unclaimed' }) }, BEGIN(4)],
  ['an earlier call was told the outcome', { lease: begun(), claim: claimed }, REPEAT],
  ['an earlier call was told the outcome, and the window is over', { lease: begun(ended), claim: claimed }, REPEAT],
  ['it began and ended unclaimed', { lease: begun(ended) }, BEGIN(4)],
])('%s', (_, facts, step) => {
  expect(judgeSettle(request, { lease: undefined, claim: undefined, ...facts }, NOW_MS)).toEqual(step);
});

test('an authorization that another intent has is a repeat without a lease, and only its own account learns the intent', () => {
  const elsewhere = { ...claimed, intentId: otherIntent };
  const repeat = { does: 'repeat', intentId: otherIntent };
  expect(judgeSettle(request, { lease: undefined, claim: elsewhere }, NOW_MS)).toEqual(repeat);
  for (const known of [lease(), begun(), begun({ answer: 'pending' })]) {
    const step = { does: 'return', intentId: otherIntent, call: known.call + 1 };
    expect(judgeSettle(request, { lease: known, claim: elsewhere }, NOW_MS)).toEqual(step);
    const others = { ...known, accountId: other };
    expect(judgeSettle(request, { lease: others, claim: elsewhere }, NOW_MS)).toEqual(repeat);
    const foreign = { ...elsewhere, accountId: other };
    expect(judgeSettle(request, { lease: known, claim: foreign }, NOW_MS)).toEqual({
      does: 'repeat',
      intentId: undefined,
    });
  }
});

describe('a message of another amount or recipient with the same nonce', () => {
  const others = [{ amount: 101n }, { recipient: '0xcd' }].map((change) => ({ ...request, ...change }));

  test('never joins what was claimed: no goods for a cheaper payment', () => {
    for (const asked of others) {
      for (const answer of ['arrived', 'pending', 'lost', null] as const) {
        for (const callAtMs of [NOW_MS, longAgoMs]) {
          const facts = { lease: begun({ answer, callAtMs }), claim: claimed };
          expect(judgeSettle(asked, facts, NOW_MS)).toEqual(REPEAT);
        }
      }
    }
  });

  test('is no repeat of what nobody claimed: it begins anew, after the call that may still claim', () => {
    for (const asked of others) {
      const step = (change: Partial<AuthorizationLease>) =>
        judgeSettle(asked, { lease: begun(change), claim: undefined }, NOW_MS);
      expect(step({ answer: null })).toEqual(WAIT);
      expect(step({ answer: null, callAtMs: longAgoMs })).toEqual(BEGIN(4));
      for (const answer of ['unclaimed', 'lost', 'pending'] as const) expect(step({ answer })).toEqual(BEGIN(4));
    }
  });
});
