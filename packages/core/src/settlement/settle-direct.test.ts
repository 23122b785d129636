// What settle does for a payment to the merchant's own wallet. Each case lists the ports that were called.
import { describe, expect, test } from 'vitest';
import {
  intent,
  open,
  paid,
  pending,
  processing,
  progress,
  type SettleWorld,
  settle,
  takenByAnother,
} from '../testing/settle-world.ts';
import type { SettlementRead } from './settlement-read.ts';

describe('a direct payment', () => {
  const direct = { bound: false, used: false, atBlock: 7n };
  const canceled: SettlementRead = { ...open, intent: { ...intent, status: 'canceled' } };

  test('from an empty wallet is refused, and kept to be watched', async () => {
    const { steps, said, kept } = await settle({ direct, refused: 'insufficient_funds' });
    expect(steps).toBe('load, acceptances, verify, find claim, record refused, record attempt');
    expect(said).toMatchObject({ status: 'failed', error: 'insufficient_funds' });
    expect(kept).toEqual([{ code: 'insufficient_funds', funded: false }]);
  });
  test.each<[string, SettlementRead, object]>([
    ['an ended intent', canceled, { status: 'failed', error: 'intent_not_payable' }],
    ['a taken intent', takenByAnother, { status: 'processing' }],
  ])('for %s is verified all the same, kept, and answered with the intent’s status', async (_, read, said) => {
    const settled = await settle({ direct, reads: [read] });
    expect(settled.steps).toMatch(/^load, acceptances, verify, find claim, record refused/);
    expect(settled.said).toMatchObject(said);
    expect(settled.kept).toEqual([{ code: 'intent_not_payable', funded: true }]);
  });
  test('that finds its intent taken at the claim is kept', async () => {
    for (const read of [takenByAnother, canceled]) {
      const { kept } = await settle({ direct, claims: ['intent_taken'], reads: [open, read] });
      expect(kept).toEqual([{ code: 'intent_not_payable', funded: true }]);
    }
  });
  test.each<[string, SettleWorld]>([
    ['an invalid signature', { refused: 'invalid_signature' }],
    ['a use before the first sight', { refused: 'authorization_already_used' }],
    ['a payout that may be forged', { refused: 'x402_temporarily_unavailable' }],
    ['an invalid signature for an ended intent', { refused: 'invalid_signature', reads: [canceled] }],
    [
      'a bound use for an ended intent, which the reader finds',
      { direct: { ...direct, used: true }, reads: [canceled] },
    ],
    ['a claim of another intent', { reads: [canceled], holder: 'elsewhere' }],
    ['a claim of another intent, from an empty wallet', { refused: 'insufficient_funds', holder: 'elsewhere' }],
    ['another intent that claims it now', { claims: ['bound_elsewhere'], reads: [open] }],
    ['a silent chain, for an ended intent too', { refused: 'chain_unavailable', reads: [canceled] }],
  ])('is not kept: %s', async (_, world) => {
    expect((await settle({ direct, ...world })).kept).toEqual([]);
  });
  test('that is refused and kept may still be made by whoever has its header, and the caller is told', async () => {
    for (const world of [
      { refused: 'insufficient_funds' },
      { claims: ['payer_over_limit'], reads: [open] },
    ] satisfies SettleWorld[]) {
      expect((await settle({ direct, ...world })).mayStillMove).toBe(true);
    }
    expect((await settle({ refused: 'insufficient_funds' })).mayStillMove).toBeUndefined();
    expect((await settle({ direct, refused: 'invalid_signature' })).mayStillMove).toBeUndefined();
  });
  test('that a silent chain could not verify is no refusal, so that its client comes again', async () => {
    expect((await settle({ direct, refused: 'chain_unavailable', reads: [canceled] })).said).toBe('chain_unavailable');
  });
  test.each([
    ['for an open intent', open],
    ['for an intent that it has paid', { ...paid, own: null }],
  ])('that the chain reader completed has its result also while the chain is silent, %s', async (_, read) => {
    const { said } = await settle({ direct, holder: 'here', refused: 'chain_unavailable', reads: [read, paid] });
    expect(said).toMatchObject({ status: 'succeeded' });
  });
  describe('that a stranger made when its intent had ended', () => {
    const claimed = progress({ status: 'mismatched', transactionId: '0xfeed' });
    const bound = { ...direct, bound: true, used: true };
    test.each<[string, SettleWorld]>([
      ['by a bound nonce', { direct: bound }],
      ['by a drawn nonce', { refused: 'authorization_already_used' }],
      ['while the chain is silent', { refused: 'chain_unavailable' }],
    ])('is answered with its own payment: %s', async (_, world) => {
      const { steps, said, kept, attempts } = await settle({
        direct,
        holder: 'here',
        claimed,
        reads: [canceled],
        ...world,
      });
      expect(steps).toBe('load, acceptances, verify, find claim, load, load claimed');
      expect(said).toMatchObject({ status: 'mismatched' });
      expect([kept, attempts]).toEqual([[], []]);
    });
    test('is answered so also where its intent is open: it was claimed before', async () => {
      const { said } = await settle({ direct: bound, claims: ['claimed_before'], claimed, reads: [open] });
      expect(said).toMatchObject({ status: 'mismatched' });
    });
    test.each<[string, SettleWorld]>([
      ['another intent has the claim', { direct: bound, holder: 'elsewhere' }],
      ['the signature is not the payer’s', { refused: 'invalid_signature', holder: 'here' }],
    ])('is not told of where %s', async (_, world) => {
      const { steps, said } = await settle({ direct, claimed, reads: [canceled], ...world });
      expect(steps).not.toContain('load claimed');
      expect(said).toMatchObject({ status: 'failed', error: 'intent_not_payable' });
    });
  });
  test('that another call claimed meanwhile has the first result', async () => {
    const { said, kept } = await settle({ direct, holder: 'here', refused: 'insufficient_funds', reads: [open, paid] });
    expect(said).toMatchObject({ status: 'succeeded' });
    expect(kept).toEqual([]);
  });
  test('whose bound authorization is used is claimed, once', async () => {
    const { steps } = await settle({ direct: { bound: true, used: true, atBlock: 7n } });
    expect(steps).toBe('load, acceptances, verify, claim, wake, wait, load');
  });

  describe('that the chain refused', () => {
    const refused = { ...processing, own: { ...pending, refusal: 'insufficient_funds' } };
    test('is queued again when its header comes again', async () => {
      const { steps, said } = await settle({ direct, reads: [refused, paid] });
      expect(steps).toBe('load, queue again, wake, wait, load');
      expect(said).toMatchObject({ status: 'succeeded', replayed: true });
    });
    test('stays processing, with the reason told: it may still be made', async () => {
      const { said } = await settle({ direct, reads: [refused], settleWaitMs: 0 });
      expect(said).toEqual({ status: 'processing', error: 'insufficient_funds', replayed: true });
    });
    test('is not queued by a caller over its rate limit', async () => {
      const { steps } = await settle({ direct, reads: [refused], settleWaitMs: 0, call: { limited: true } });
      expect(steps).toBe('load, wake');
    });
  });
});
