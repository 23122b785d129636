import { describe, expect, test } from 'vitest';
import { sampleActivation } from '../testing/sample-activation.ts';
import { someAddress } from '../testing/settled-payment.ts';
import { MAX_REPLACED, type PayoutActivation } from './activation.ts';
import { type ActivationFacts, type ActivationProblem, decideActivation, nextTerms } from './decide-activation.ts';

const SIGNED_MS = 1_700_000_000_000;
const DAY_MS = 86_400_000;
const first = sampleActivation({ number: 7n });
const second = sampleActivation({ number: 8n, wallet: someAddress(0x67), replaces: first.wallet });
const facts = (change: Partial<ActivationFacts> = {}): ActivationFacts => ({
  installation: first.installation,
  newest: undefined,
  highestNumber: 6n,
  walletInUse: [],
  nowMs: SIGNED_MS,
  delayMs: DAY_MS,
  ...change,
});
const withFirst = (change: Partial<ActivationFacts> = {}) =>
  facts({ newest: { activation: first, activeFromMs: SIGNED_MS }, highestNumber: 7n, ...change });

test('a first wallet takes effect at once, another one after the delay, the same one again at once', () => {
  const renewed = sampleActivation({ number: 8n, replaces: first.wallet });
  expect(decideActivation(first, facts())).toEqual({ step: 'create', activeFromMs: SIGNED_MS });
  expect(decideActivation(second, withFirst())).toEqual({ step: 'create', activeFromMs: SIGNED_MS + DAY_MS });
  expect(decideActivation(renewed, withFirst())).toEqual({ step: 'create', activeFromMs: SIGNED_MS });
});

test('the delay counts from the activation, however long ago it was signed', () => {
  const nowMs = SIGNED_MS + 3 * DAY_MS;
  expect(decideActivation(second, withFirst({ nowMs }))).toEqual({ step: 'create', activeFromMs: nowMs + DAY_MS });
});

test('the same activation again changes nothing', () => {
  expect(decideActivation(first, withFirst())).toEqual({ step: 'keep', activeFromMs: SIGNED_MS });
});

const deep = Array.from({ length: MAX_REPLACED + 1 }).reduce<PayoutActivation>(
  (replaced) => ({ ...first, replaced }),
  first,
);
test.each<[string, PayoutActivation, ActivationFacts, ActivationProblem]>([
  ['of another installation', first, facts({ installation: 'other' }), 'activation_of_other_installation'],
  ['with a number that is taken', first, facts({ highestNumber: 7n }), 'activation_number'],
  ['with a number below', first, facts({ highestNumber: 8n }), 'activation_number'],
  ['with a number far above', sampleActivation({ number: 1_007n }), facts(), 'activation_number'],
  ['signed 31 days ago', first, facts({ nowMs: SIGNED_MS + 31 * DAY_MS }), 'activation_time'],
  ['signed for tomorrow', first, facts({ nowMs: SIGNED_MS - DAY_MS }), 'activation_time'],
  ['that replaces nothing where a wallet is', { ...second, replaces: null }, withFirst(), 'activation_replaces_other'],
  ['that replaces another wallet', { ...second, replaces: someAddress(1) }, withFirst(), 'activation_replaces_other'],
  [
    'that replaces a wallet where none is',
    { ...first, replaces: someAddress(1) },
    facts(),
    'activation_replaces_other',
  ],
  [
    'that carries another activation than the newest',
    { ...second, replaced: sampleActivation({ number: 5n }) },
    withFirst(),
    'activation_replaces_other',
  ],
  ['while the last change is pending', second, withFirst({ nowMs: SIGNED_MS - 1 }), 'activation_change_pending'],
  [
    'after many without an operator',
    { ...second, replaced: deep },
    withFirst({ newest: { activation: deep, activeFromMs: SIGNED_MS } }),
    'activation_needs_operator',
  ],
])('an activation %s is refused', (_, given, known, code) => {
  expect(decideActivation(given, known)).toEqual({ step: 'refuse', code });
});

test('a time that was signed ahead counts: no intent offers the wallet before the services take it', () => {
  const ahead = { ...second, signedAtSeconds: second.signedAtSeconds + 300n };
  const activeFromMs = Number(ahead.signedAtSeconds) * 1_000 + DAY_MS;
  expect(decideActivation(ahead, withFirst())).toEqual({ step: 'create', activeFromMs });
});

test('the last number that may be left out to', () => {
  expect(decideActivation(sampleActivation({ number: 1_006n }), facts())).toMatchObject({ step: 'create' });
});

describe('a wallet that is in use', () => {
  const own = { accountId: first.accountId, mode: first.mode };
  const other = { accountId: 'acct_2', mode: first.mode };
  test.each([
    ['exclusive', { ...other, use: 'exclusive' }, false],
    ['exclusive', { ...other, use: 'shared' }, false],
    ['shared', { ...other, use: 'exclusive' }, false],
    ['shared', { ...other, use: 'shared' }, true],
    ['exclusive', { ...own, use: 'exclusive' }, true],
    ['shared', { ...own, use: 'shared' }, true],
    ['shared', { ...own, use: 'exclusive' }, false],
    ['exclusive', { ...own, use: 'shared' }, false],
    ['exclusive', { ...own, mode: 'live', use: 'exclusive' }, false],
  ] as const)('as %s, beside %o: %s', (use, inUse, allowed) => {
    const decided = decideActivation(sampleActivation({ number: 7n, use }), facts({ walletInUse: [inUse] }));
    expect(decided).toEqual(
      allowed ? { step: 'create', activeFromMs: SIGNED_MS } : { step: 'refuse', code: 'wallet_in_use' },
    );
  });
});

test('the next terms fit to what there is', () => {
  const { accountId, mode, network, asset, wallet, use } = second;
  const wanted = { accountId, mode, network, asset, wallet, use };
  expect(nextTerms(wanted, facts())).toMatchObject({ number: 7n, replaces: null, signedAtSeconds: 1_700_000_000n });
  const terms = nextTerms(wanted, withFirst());
  expect(terms).toMatchObject({ ...wanted, number: 8n, replaces: first.wallet });
  expect(decideActivation({ ...second, ...terms }, withFirst())).toMatchObject({ step: 'create' });
});
