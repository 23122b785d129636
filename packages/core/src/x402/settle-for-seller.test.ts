// What a seller's calls do. Each case lists the ports that were called.
import { describe, expect, test } from 'vitest';
import {
  begun,
  claimed,
  failedRead,
  type SellerWorld,
  settleOf,
  verified,
  verifyOf,
  WALLET,
} from '../testing/seller-world.ts';
import { open, paid, processing } from '../testing/settle-world.ts';

const BEGUN = 'lease, chain, code, begin, claim, wait, load';

describe('settle', () => {
  test('begins with an intent of its own, and tells the outcome', async () => {
    const { settled, steps, orders } = await settleOf({ leases: [{ lease: verified() }] });
    expect(steps).toBe(BEGUN);
    expect(settled).toMatchObject({ outcome: 'settled', transaction: '0xfeed', lease: { call: 2 } });
    expect(orders[0]).toMatchObject({ call: 2, record: { intent: { intentCode: 7, createdWith: 'x402' } } });
  });

  test('of a wallet in other letters is claimed for the wallet as it is stored', async () => {
    const { taken } = await settleOf({ terms: { payTo: WALLET.toUpperCase().replace('0X', '0x') } });
    expect(taken[0]?.acceptance.payTo).toBe(WALLET);
  });

  test('that the chain refuses leaves no intent and uses up no code', async () => {
    const { settled, steps } = await settleOf({ refused: 'insufficient_funds' });
    expect(steps).toBe('lease, chain, lease');
    expect(settled).toMatchObject({ outcome: 'refused', code: 'insufficient_funds', transaction: null });
  });

  test.each<[string, NonNullable<SellerWorld['leases']>]>([
    ['began', [{}, { lease: begun({ call: 1, answer: 'pending' }) }]],
    ['claimed', [{ lease: verified() }, { lease: begun({ answer: 'pending' }), claim: claimed }]],
  ])('that the chain refuses because another call %s meanwhile gets the outcome of that call', async (_, leases) => {
    for (const refused of ['authorization_already_used', 'insufficient_funds'] as const) {
      const { settled } = await settleOf({ leases, refused, reads: [paid] });
      expect(settled).toMatchObject({ outcome: 'settled', transaction: '0xfeed' });
    }
  });

  test('is pending where the chain does not tell whether a stranger submitted the payment', async () => {
    const silent = { refused: 'chain_unavailable', reads: [open] } as const;
    expect((await settleOf(silent)).settled).toMatchObject({ outcome: 'pending', transaction: null });
    const joined = await settleOf({ ...silent, leases: [{ lease: begun({ answer: 'pending' }) }] });
    expect(joined.settled).toMatchObject({ outcome: 'pending' });
    expect(joined.marks).toEqual([{ call: 3, answer: 'unclaimed' }]);
  });

  test('that is refused at the claim is marked as unclaimed, and no answer of it counts as told', async () => {
    const { settled, marks } = await settleOf({ claims: ['payer_over_limit'], reads: [open] });
    expect(settled).toMatchObject({ outcome: 'refused', code: 'x402_temporarily_unavailable' });
    expect(settled.lease).toBeUndefined();
    expect(marks).toEqual([{ call: 1, answer: 'unclaimed' }]);
  });

  test('waits for a call that is not answered yet, and looks less and less often', async () => {
    const leases = [{ lease: begun({ answer: null }), claim: claimed }];
    const { settled, steps } = await settleOf({ leases, reads: [processing] });
    expect(steps).toBe('lease, pause, lease, pause, lease, pause, lease, load');
    expect(settled).toMatchObject({ outcome: 'pending' });
    const told = [...leases, { lease: begun({ answer: 'lost' }), claim: claimed }];
    expect((await settleOf({ leases: told })).settled).toMatchObject({ outcome: 'settled' });
  });

  describe('again, after the outcome was told', () => {
    const leases = [{ lease: begun(), claim: claimed }];
    test.each([
      ['of a payment that is paid is a repeat', paid, { outcome: 'repeat', transaction: '0xfeed' }],
      ['of one that is pending is a repeat', processing, { outcome: 'repeat', transaction: null }],
      [
        'of one that failed is told the failure: a seller may take a repeat as paid',
        failedRead('token_refused'),
        { outcome: 'refused', code: 'token_refused' },
      ],
    ])('%s', async (_, read, told) => {
      const { settled, steps } = await settleOf({ leases, reads: [read] });
      expect(steps).toBe('lease, load');
      expect(settled).toMatchObject(told);
    });
  });
});

describe('settle of what a stranger submitted, after it was refused and the lease went on to another intent', () => {
  const elsewhere = [{ lease: verified({ call: 3, intentId: null }), claim: claimed }];
  const unclaimed = {
    ...paid,
    own: null,
    intent: { ...paid.intent, createdWith: 'x402' },
  } as const;
  const spent = { hourAtomic: 10n, dayAtomic: 10n };
  const world = {
    leases: elsewhere,
    reads: [unclaimed],
    refused: 'authorization_already_used',
    foreign: paid.own,
  } as const;

  test('is told the payment, and the lease returns to its intent', async () => {
    const { settled, steps, returned } = await settleOf(world);
    expect(settled).toMatchObject({ outcome: 'settled', transaction: '0xfeed', lease: { call: 4 } });
    expect(steps).toBe('lease, load, return, load');
    expect(returned).toMatchObject([{ call: 4, intentId: paid.intent.id, amount: 1_500_000n, recipient: WALLET }]);
  });

  test.each<[string, SellerWorld]>([
    ['on the deny list', { denied: true }],
    ['over budget', { reads: [{ ...unclaimed, payerBudget: { lost: spent, limit: spent } }] }],
  ])('is told the payment of a payer who is %s, whichever intent the lease is at', async (_, barred) => {
    const joins = [{ lease: begun({ answer: 'unclaimed' }), claim: claimed }];
    for (const leases of [elsewhere, joins]) {
      const { settled, marks } = await settleOf({ ...world, ...barred, leases });
      expect(settled).toMatchObject({ outcome: 'settled', transaction: '0xfeed', lease: {} });
      expect(marks).toEqual([]);
    }
  });

  test('that comes before the claim is read is told nothing that ends the lease', async () => {
    const leases = [{ lease: begun({ answer: 'unclaimed' }) }];
    const { settled, marks } = await settleOf({ ...world, leases, denied: true });
    expect(settled.lease).toBeUndefined();
    expect(marks).toEqual([{ call: 3, answer: 'unclaimed' }]);
  });

  test('is a repeat once it was told, and where nobody knows whether it was', async () => {
    const told = [{ lease: begun({ call: 4 }), claim: claimed }];
    expect((await settleOf({ ...world, leases: told })).settled).toMatchObject({ outcome: 'repeat' });
    expect((await settleOf({ ...world, leases: [{ claim: claimed }] })).settled).toMatchObject({ outcome: 'repeat' });
  });

  test.each([
    ['its header paid an intent that no seller made', { reads: [{ ...unclaimed, intent: paid.intent }] }],
    ['a header of ours paid it', { reads: [{ ...unclaimed, own: paid.own }], foreign: null }],
    ['the claim has no payment', { foreign: null }],
    ['the header is for another amount', { terms: { amount: '1500001' } }],
    ['the header pays another wallet', { terms: { payTo: `0x${'5b'.repeat(20)}` } }],
  ])('is a repeat where %s, and leaves the lease where it is', async (_, change) => {
    const { settled, returned } = await settleOf({ ...world, ...change });
    expect([settled.outcome, returned]).toEqual(['repeat', []]);
  });

  test('of another amount than was asked is refused, and no repeat', async () => {
    const own = paid.own && { ...paid.own, payment: { ...paid.own.payment, status: 'mismatched' as const } };
    const intent = { ...unclaimed.intent, status: 'mismatched' as const };
    const { settled } = await settleOf({ ...world, reads: [{ ...unclaimed, intent }], foreign: own });
    expect(settled).toMatchObject({ outcome: 'refused', code: 'amount_mismatch' });
  });
});

describe('settle over the rate limit', () => {
  const limited = true;

  test('is taken once for what the account verified: the chain is not asked for it again', async () => {
    const first = await settleOf({ limited, leases: [{ lease: verified() }], refused: 'insufficient_funds' });
    expect(first.steps).toBe('lease, mark, chain, lease');
    expect(first.marks).toEqual([{ call: 1, answer: 'unclaimed' }]);
    const again = await settleOf({ limited, leases: [{ lease: verified({ answer: 'unclaimed' }) }] });
    expect(again).toMatchObject({ steps: 'lease', settled: { outcome: 'refused', code: 'rate_limited' } });
  });

  test('that may be taken is settled', async () => {
    const { settled, steps } = await settleOf({ limited, leases: [{ lease: verified() }] });
    expect(steps).toBe(BEGUN.replace('chain', 'mark, chain'));
    expect(settled).toMatchObject({ outcome: 'settled' });
  });

  test.each<[string, NonNullable<SellerWorld['leases']>[number]]>([
    ['nobody verified it', {}],
    ['its lease has ended', { lease: verified({ validBeforeSeconds: 1n }) }],
    ['a call began with it and claimed nothing', { lease: begun({ answer: 'unclaimed' }) }],
  ])('asks no chain where %s', async (_, facts) => {
    const { settled, steps } = await settleOf({ limited, leases: [facts] });
    expect([steps, settled]).toMatchObject(['lease', { outcome: 'refused', code: 'rate_limited' }]);
  });

  test('neither polls for another call nor queues a claimed payment again', async () => {
    const waiting = await settleOf({ limited, leases: [{ lease: begun({ answer: null }) }], reads: [processing] });
    expect([waiting.steps, waiting.settled.outcome]).toEqual(['lease, load', 'pending']);
    const refused = { ...processing, own: processing.own && { ...processing.own, refusal: 'insufficient_funds' } };
    const leases = [{ lease: begun({ answer: 'pending' }), claim: claimed }];
    const reads = [refused, refused, paid];
    const joined = await settleOf({ limited, leases, reads });
    expect(joined.steps).toBe('lease, take over, load, load, wait, load');
    expect((await settleOf({ leases, reads })).steps).toContain('queue again');
  });
});

describe('verify', () => {
  test('asks the chain, then takes the lease', async () => {
    expect(await verifyOf()).toMatchObject({ steps: 'chain, take lease', told: { ok: true, lease: { call: 1 } } });
  });

  test('of what is spent says so, also where the chain refuses it or the window is over', async () => {
    const leases = [{ lease: begun(), claim: claimed }];
    for (const world of [{ refused: 'authorization_already_used' }, { validBeforeSeconds: 1_700_000_000 }] as const) {
      const { told } = await verifyOf({ ...world, leases });
      expect(told).toMatchObject({ ok: false, code: 'authorization_bound_elsewhere', leaseRefusal: 'spent' });
    }
  });

  test.each([
    [300, 11, false],
    [300, 149, false],
    [300, 150, true],
    [3_600, 299, false],
    [3_600, 300, true],
    [20, 10, true],
  ])('of %i seconds asked for and %i left is valid: %s', async (maxTimeoutSeconds, left, ok) => {
    const world = { terms: { maxTimeoutSeconds }, validBeforeSeconds: 1_700_000_000 + left };
    const { told, steps } = await verifyOf(world);
    expect([told.ok, steps.includes('take lease')]).toEqual([ok, ok]);
    if (!ok) expect(told).toMatchObject({ code: 'authorization_expired' });
  });

  test('names the seller’s field where it asks its buyers for too long a window', async () => {
    const world = { terms: { maxTimeoutSeconds: 86_400 }, validBeforeSeconds: 1_700_000_000 + 86_400 };
    const told = { code: 'authorization_window_too_long', message: expect.stringMatching(/maxTimeoutSeconds.*3600/) };
    expect((await verifyOf(world)).told).toMatchObject(told);
    expect((await settleOf(world)).settled).toMatchObject(told);
  });

  test.each<[string, SellerWorld, boolean]>([
    ['a stranger’s signature', { refused: 'invalid_signature' }, false],
    ['an empty wallet', { refused: 'insufficient_funds' }, true],
    ['a lease of another call', { verdict: { granted: false, refusal: 'leased' } }, true],
    ['a payment that is spent', { refused: 'authorization_already_used', leases: [{ claim: claimed }] }, false],
  ])('counts a refusal against a payer who signed, and only then: %s', async (_, world, signed) => {
    const { told } = await verifyOf(world);
    expect(!told.ok && told.signed === true).toBe(signed);
  });
});
