import { basisPoints, type PayoutTerms, payoutTerms } from '@svc-pay/money';
import { evmNetwork } from '@svc-pay/protocol';
import { describe, expect, test } from 'vitest';
import { someAddress } from '../testing/settled-payment.ts';
import { decideMirroredPayout } from './decide-mirrored-payout.ts';
import { decidePayout, type PayoutRequest } from './decide-payout.ts';
import type { Payout } from './payout.ts';

const [MERCHANT, SPLIT] = [someAddress(0xab), someAddress(0xcd)];

function terms(feeBps: number, to = SPLIT): PayoutTerms {
  const read = payoutTerms({ feeBps, splits: [{ to, bps: 250 }] });
  if (!read.ok) throw new Error(read.code);
  return read.terms;
}

const stored = (change: Partial<Payout> = {}): Payout => ({
  accountId: 'acct_1',
  mode: 'test',
  network: 'eip155:84532',
  processor: someAddress(0x52),
  payoutId: '7',
  merchant: MERCHANT,
  feeBps: 100,
  splits: [{ to: SPLIT, bps: basisPoints(250) }],
  status: 'active',
  ...change,
});

const request = (change: Partial<PayoutRequest> = {}): PayoutRequest => ({
  accountId: 'acct_1',
  mode: 'test',
  network: evmNetwork(84_532),
  processor: someAddress(0x52),
  merchant: MERCHANT,
  terms: terms(100),
  status: 'active',
  ...change,
});

describe('without an id', () => {
  const decide = (found: Payout | undefined, change: Partial<PayoutRequest> = {}) =>
    decidePayout(request(change), { found, highestId: 41n });

  test.each<[string, Payout | undefined, Partial<PayoutRequest>]>([
    ['the first payout', undefined, {}],
    ['other terms', stored(), { terms: terms(200) }],
    ['another recipient', stored(), { merchant: someAddress(0xee) }],
    ['another split', stored(), { terms: terms(100, someAddress(0xee)) }],
    ['terms of a disabled payout', stored({ status: 'disabled' }), {}],
  ])('%s takes the next id of the processor', (_, found, change) => {
    expect(decide(found, change)).toEqual({ step: 'create', payoutId: 42n });
  });

  test('the newest terms again are the same payout, in any letter case', () => {
    const found = stored();
    const upper = (text: string) => text.toUpperCase().replace('0X', '0x');
    expect(decide(found)).toEqual({ step: 'keep', payout: found });
    expect(decide(found, { merchant: upper(MERCHANT), terms: terms(100, upper(SPLIT)) })).toMatchObject({
      step: 'keep',
    });
  });
});

describe('with an id', () => {
  const decide = (found: Payout | undefined, change: Partial<PayoutRequest> = {}) =>
    decidePayout(request({ payoutId: 7n, ...change }), { found, highestId: 41n });

  test('a free id is taken as requested', () => {
    expect(decide(undefined)).toEqual({ step: 'create', payoutId: 7n });
  });

  test.each<[string, Payout, Partial<PayoutRequest>, string]>([
    ['another account', stored({ accountId: 'acct_2' }), {}, 'payout_of_other_account'],
    ['the other mode', stored({ mode: 'live' }), {}, 'payout_of_other_account'],
    ['another fee', stored(), { terms: terms(99) }, 'payout_terms_fixed'],
    ['another recipient', stored(), { merchant: someAddress(0xee) }, 'payout_terms_fixed'],
    ['a disabled payout', stored({ status: 'disabled' }), {}, 'payout_disabled'],
  ])('%s is refused', (_, found, change, code) => {
    expect(decide(found, change)).toEqual({ step: 'refuse', code });
  });

  test.each([
    ['pending', 'active', 'change_status'],
    ['pending', 'pending', 'keep'],
    ['active', 'active', 'keep'],
    ['active', 'pending', 'keep'],
  ] as const)('a %s payout that is set %s: %s', (before, status, step) => {
    const found = stored({ status: before });
    expect(decide(found, { status })).toEqual({ step, payout: found });
  });
});

const agreed = { merchant: MERCHANT, feeBps: basisPoints(100), splits: [{ to: SPLIT, bps: basisPoints(250) }] };
const other = { ...agreed, feeBps: basisPoints(101) };

test.each([
  // stored, registry's status, registry's terms, result, written status
  ['pending', 'active', agreed, 'changed', 'active'],
  ['pending', 'active', undefined, 'changed', 'active'],
  ['active', 'active', agreed, 'same', undefined],
  ['active', 'disabled', undefined, 'changed', 'disabled'],
  ['pending', 'disabled', undefined, 'changed', 'disabled'],
  ['disabled', 'active', agreed, 'same', undefined],
  ['disabled', 'disabled', undefined, 'same', undefined],
  ['active', 'active', other, 'differs', 'pending'],
  ['active', 'disabled', other, 'differs', 'pending'],
  ['pending', 'active', other, 'differs', undefined],
  ['disabled', 'active', other, 'differs', undefined],
] as const)(
  'a %s payout that the registry has %s becomes what the registry says, unless terms differ',
  (before, status, registered, result, written) => {
    const decided = decideMirroredPayout(stored({ status: before }), {
      status,
      ...(registered !== undefined && { terms: registered }),
    });
    expect(decided).toEqual({ result, status: written });
  },
);

test('a payout that the database does not have is reported, not made', () => {
  expect(decideMirroredPayout(undefined, { status: 'active', terms: agreed })).toEqual({
    result: 'unknown',
    status: undefined,
  });
});
