// The order of the steps: load, replay, verify, claim, wait. Each case lists the ports that were called.
import { describe, expect, test } from 'vitest';
import {
  intent,
  OPEN_BUDGET,
  open,
  paid,
  payer,
  processing,
  type SettleWorld,
  settle,
  takenByAnother,
} from '../testing/settle-world.ts';
import type { SettlementRead } from './settlement-read.ts';

const claim = { key: 'key', storedKey: 'key', requestHash: new Uint8Array(32) };

test('a new payment: load, verify, claim, bind the key, wake the lanes, wait, and one read for the answer', async () => {
  expect(await settle({ call: { claim } })).toEqual({
    steps: 'load, is key reused, acceptances, verify, claim, bind key, wake, wait, load',
    said: { status: 'succeeded', error: undefined, replayed: false },
    attempts: [],
    claimed: true,
  });
});

describe('a payment that was claimed before', () => {
  test('asks no chain and claims nothing: it is answered from rows', async () => {
    const { steps, said } = await settle({ reads: [paid], call: { claim } });
    expect(steps).toBe('load, is key reused, bind key');
    expect(said).toEqual({ status: 'succeeded', error: undefined, replayed: true });
  });
  test('and has no result yet wakes its lanes and waits', async () => {
    const { steps, said } = await settle({ reads: [processing, processing, paid] });
    expect(steps).toBe('load, wake, wait, load, wait, load');
    expect(said).toMatchObject({ status: 'succeeded', replayed: true });
  });
  test('is answered at once where nothing waits, without another read', async () => {
    const { steps, said } = await settle({ reads: [processing], settleWaitMs: 0 });
    expect(steps).toBe('load, wake');
    expect(said).toMatchObject({ status: 'processing', replayed: true });
  });
});

describe('a gas budget', () => {
  const spent = { hourAtomic: 10n, dayAtomic: 10n };
  const limits = { network: spent, account: spent, code: spent, payer: spent, refunds: spent };
  const none = OPEN_BUDGET.lost;

  test('of the payer that is spent refuses it before any chain is asked', async () => {
    const over: SettlementRead = { ...open, payerBudget: { lost: spent, limit: spent } };
    const { steps, said } = await settle({ reads: [over] });
    expect(steps).toBe('load, record attempt');
    expect(said).toMatchObject({ status: 'failed', error: 'gas_budget_spent' });
  });
  test('of the payer does not keep a payment that was claimed before from its answer', async () => {
    const { said } = await settle({ reads: [{ ...paid, payerBudget: { lost: spent, limit: spent } }] });
    expect(said).toMatchObject({ status: 'succeeded', replayed: true });
  });
  test('is read for contract wallets only, and a spent one takes no claim', async () => {
    const wallet = { limits, lost: { ...none, network: spent }, proven: false };
    const refused = await settle({ wallet });
    expect(refused.steps).toBe('load, acceptances, verify, budget, record attempt');
    expect(refused.said).toMatchObject({ status: 'failed', error: 'gas_budget_spent' });
    const proven = await settle({ wallet: { ...wallet, proven: true } });
    expect(proven.steps).toBe('load, acceptances, verify, budget, claim, wake, wait, load');
  });
  test('that refuses a direct payment leaves its signature watched: anybody may submit it', async () => {
    const wallet = { limits, lost: { ...none, network: spent }, proven: false };
    const direct = { bound: false, atBlock: 1n, used: false };
    const { kept } = await settle({ wallet, direct });
    expect(kept).toEqual([{ code: 'gas_budget_spent', funded: true }]);
  });
});

describe('over its rate limit a caller', () => {
  const limited = { limited: true };
  test('gets a replay', async () => {
    expect((await settle({ reads: [paid], call: limited })).said).toMatchObject({ replayed: true });
  });
  test.each<[string, SettlementRead | undefined]>([
    ['a new payment', open],
    ['another payment of a taken intent', takenByAnother],
    ['an intent that it does not have', undefined],
    ['an up-to intent', { ...paid, intent: { ...paid.intent, upto: true } }],
  ])('gets nothing else: %s', async (_, read) => {
    expect(await settle({ reads: [read], call: limited })).toEqual({
      steps: 'load',
      said: 'rate_limited',
      attempts: [],
    });
  });
});

test.each<[string, SettleWorld, string, unknown]>([
  ['an intent that the caller does not have', { reads: [undefined] }, 'load', 'not_found'],
  [
    'a key that stands for another request',
    { call: { claim }, keyReused: true },
    'load, is key reused',
    'idempotency_key_reused',
  ],
  [
    'an up-to intent',
    { reads: [{ ...open, intent: { ...intent, upto: true } }] },
    'load',
    { status: 'failed', error: 'x402_upto_settlement_requires_secret_key', replayed: false },
  ],
])('%s is answered before anything is verified', async (_, world, steps, said) => {
  expect(await settle(world)).toEqual({ steps, said, attempts: [] });
});

describe('a refused payment', () => {
  test('is kept for the merchant with its payer, and binds no key', async () => {
    const { steps, said, attempts } = await settle({ refused: 'invalid_signature', call: { claim } });
    expect(steps).toBe('load, is key reused, acceptances, verify, record attempt');
    expect(said).toEqual({ status: 'failed', error: 'invalid_signature', replayed: false });
    expect(attempts).toMatchObject([{ code: 'invalid_signature', detail: null, payer: payer.toLowerCase() }]);
  });
  test('that cannot be read asks no chain', async () => {
    const encoded = { encodedHeader: 'hello', echo: null };
    const { steps, said, attempts } = await settle({ call: { encoded } });
    expect(steps).toBe('load, acceptances, record attempt');
    expect(said).toMatchObject({ status: 'failed', error: 'invalid_payment_header' });
    expect(attempts).toMatchObject([{ payer: null }]);
  });
  test('comes too late for a taken intent: the intent’s status, no chain, no note', async () => {
    const { steps, said } = await settle({ reads: [takenByAnother] });
    expect(steps).toBe('load, acceptances');
    expect(said).toMatchObject({ status: 'processing' });
  });
  test('by a silent chain is no refusal: nothing is kept', async () => {
    const { steps, said } = await settle({ refused: 'chain_unavailable' });
    expect(steps).toBe('load, acceptances, verify');
    expect(said).toBe('chain_unavailable');
  });
});

describe('a payer who is denied', () => {
  test.each([
    ['header', { denied: payer.toLowerCase() }],
    ['transaction', { denied: 'Payer', transactions: true }],
  ])('is refused before the chain is asked, by %s', async (_, world) => {
    const { steps, said, attempts } = await settle(world);
    expect(steps).toBe('load, record attempt');
    expect(said).toEqual({ status: 'failed', error: 'payer_denied', replayed: false });
    expect(attempts).toMatchObject([{ code: 'payer_denied' }]);
  });
  test('hears the status of an intent that is taken, which a stranger may have paid with this header', async () => {
    const { steps, said } = await settle({ denied: payer.toLowerCase(), reads: [takenByAnother] });
    expect(steps).toBe('load');
    expect(said).toMatchObject({ status: 'processing' });
  });
  test('hears how a payment stands that was claimed before: it goes on', async () => {
    const { steps, said } = await settle({ denied: payer.toLowerCase(), reads: [processing, paid] });
    expect(steps).toBe('load, wake, wait, load');
    expect(said).toMatchObject({ status: 'succeeded', replayed: true });
  });
});

describe('refused because another call claimed it during the chain read', () => {
  const used: SettleWorld = { refused: 'authorization_already_used' };
  test('for this intent: the first result stands', async () => {
    const { steps, said, attempts } = await settle({ ...used, holder: 'here', reads: [open, paid] });
    expect(steps).toBe('load, acceptances, verify, find claim, load');
    expect(said).toEqual({ status: 'succeeded', error: undefined, replayed: false });
    expect(attempts).toEqual([]);
  });
  test('for another intent: bound elsewhere', async () => {
    const { said } = await settle({ ...used, holder: 'elsewhere' });
    expect(said).toMatchObject({ status: 'failed', error: 'authorization_bound_elsewhere' });
  });
  test('for nobody: refused as the chain says', async () => {
    expect((await settle(used)).said).toMatchObject({ status: 'failed', error: 'authorization_already_used' });
  });
  test.each(['insufficient_funds', 'authorization_expired', 'chain_unavailable'] as const)(
    'a transaction has the first result, whatever the chain says of it: %s',
    async (refused) => {
      const { steps, said, attempts } = await settle({ transactions: true, refused, reads: [open, paid] });
      expect(steps).toBe('load, acceptances, verify, load');
      expect(said).toMatchObject({ status: 'succeeded' });
      expect(attempts).toEqual([]);
    },
  );
  test('a transaction that nobody claimed is refused, and a silent chain refuses nothing', async () => {
    const { said, attempts } = await settle({ transactions: true, refused: 'amount_mismatch', reads: [open] });
    expect(said).toMatchObject({ status: 'failed', error: 'amount_mismatch' });
    expect(attempts).toMatchObject([{ code: 'amount_mismatch', payer: 'Payer' }]);
    const silent = await settle({ transactions: true, refused: 'chain_unavailable', reads: [open] });
    expect(silent).toMatchObject({ said: 'chain_unavailable', attempts: [] });
  });
});

describe('the claim', () => {
  test('is tried three times while the intent is payable again each time', async () => {
    const { steps, said, attempts } = await settle({ claims: ['intent_taken'], reads: [open] });
    expect(steps).toBe('load, acceptances, verify, claim, load, claim, load, claim, load, record attempt');
    expect(said).toMatchObject({ status: 'failed', error: 'intent_not_payable' });
    expect(attempts).toMatchObject([{ code: 'intent_not_payable' }]);
  });
  test('is taken on the third try', async () => {
    const { steps, said } = await settle({
      claims: ['intent_taken', 'intent_taken', 'claimed'],
      reads: [open, open, open, paid],
    });
    expect(steps).toBe('load, acceptances, verify, claim, load, claim, load, claim, wake, wait, load');
    expect(said).toMatchObject({ status: 'succeeded' });
  });
  test('is not tried again for an intent that another payment has, and no note is kept', async () => {
    const { steps, said, claimed } = await settle({ claims: ['intent_taken'], reads: [open, takenByAnother] });
    expect(steps).toBe('load, acceptances, verify, claim, load');
    expect(said).toMatchObject({ status: 'processing', replayed: false });
    expect(claimed).not.toBe(true);
  });
  test('is not tried again for an intent that was canceled', async () => {
    const canceled: SettlementRead = { ...open, intent: { ...intent, status: 'canceled' } };
    const { steps, said } = await settle({ claims: ['intent_taken'], reads: [open, canceled] });
    expect(steps).toBe('load, acceptances, verify, claim, load, record attempt');
    expect(said).toMatchObject({ status: 'failed', error: 'intent_not_payable' });
  });
  test('that another call took first for this intent waits for the first result', async () => {
    const { steps, said, claimed } = await settle({ claims: ['claimed_before'], reads: [open, processing, paid] });
    expect(steps).toBe('load, acceptances, verify, claim, load, wake, wait, load');
    expect(said).toMatchObject({ status: 'succeeded', replayed: false });
    expect(claimed).not.toBe(true);
  });
  test('that another intent has is refused', async () => {
    const { said, attempts } = await settle({ claims: ['bound_elsewhere'], reads: [open] });
    expect(said).toMatchObject({ status: 'failed', error: 'authorization_bound_elsewhere' });
    expect(attempts).toMatchObject([{ code: 'authorization_bound_elsewhere' }]);
  });
});

describe('the wait', () => {
  test('ends when it is told that no time is left, with one read', async () => {
    const { steps, said } = await settle({ told: [false], reads: [open, processing] });
    expect(steps).toBe('load, acceptances, verify, claim, wake, wait, load');
    expect(said).toMatchObject({ status: 'processing' });
  });
  test('goes on after a notification without a result, until its time is up', async () => {
    const { steps, said } = await settle({ waitMs: 400, reads: [open, processing] });
    expect(steps).toBe('load, acceptances, verify, claim, wake, wait, load, wait, load, wait, load');
    expect(said).toMatchObject({ status: 'processing' });
  });
  test('notes changes from before the claim on, until it is answered, also when the claim is not taken', async () => {
    const { steps } = await settle({ showWatch: true });
    expect(steps).toBe('load, acceptances, verify, watch, claim, wake, wait, load, unwatch');
    const taken = await settle({ showWatch: true, claims: ['bound_elsewhere'], reads: [open] });
    expect(taken.steps).toBe('load, acceptances, verify, watch, claim, load, record attempt, unwatch');
  });
  test('reads the result alone when it is told of one, and everything when there is none', async () => {
    const lean = await settle({ reads: [open], result: paid });
    expect(lean.steps).toBe('load, acceptances, verify, claim, wake, wait, load result');
    expect(lean.said).toMatchObject({ status: 'succeeded' });
    const late = await settle({ told: [false], reads: [open, processing], result: paid });
    expect(late.steps).toBe('load, acceptances, verify, claim, wake, wait, load');
  });
  test('of no length wakes the lanes and reads once', async () => {
    const { steps } = await settle({ settleWaitMs: 0, reads: [open, processing] });
    expect(steps).toBe('load, acceptances, verify, claim, wake, load');
  });
});
