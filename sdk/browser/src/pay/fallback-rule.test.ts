import type { MoneyMoved } from '@svc-pay/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mayPayRegularly, type X402End } from './fallback-rule.ts';

const header = (code: string, moneyMoved: MoneyMoved = 'no', isInDoubt = false): X402End => ({
  at: 'header',
  code,
  moneyMoved,
  isInDoubt,
});

test.each<[string, X402End, boolean]>([
  ['nothing is offered to sign', { at: 'offer' }, true],
  ['the wallet can’t sign typed data', { at: 'signature', code: 'typed_data_unsupported' }, true],
  ['the payer said no', { at: 'signature', code: 'signature_refused' }, false],
  ['the payer did not connect', { at: 'signature', code: 'connection_refused' }, false],
  ['the wallet did not answer', { at: 'signature', code: 'wallet_timeout' }, false],
  ['the wallet failed otherwise', { at: 'signature', code: 'wallet_failed' }, false],
  ['the offer is not what was asked for', { at: 'signature', code: 'acceptance_refused' }, false],
  ['the wallet holds too little', { at: 'signature', code: 'insufficient_funds' }, false],
  ['the call was ended', { at: 'signature', code: 'aborted' }, false],
  ['the header is below the minimum', header('x402_minimum_amount_not_met'), true],
  ['so it is, after an answer that was not heard', header('x402_minimum_amount_not_met', 'no', true), false],
  ['so it is, and the money is not known of', header('x402_minimum_amount_not_met', 'unknown'), false],
  ['the header was refused for its signature', header('invalid_signature'), false],
  ['the header has failed', header('payment_failed'), false],
  ['the header’s end was not heard', header('outcome_unknown', 'unknown', true), false],
  ['another amount arrived', header('payment_mismatched', 'yes'), false],
  ['the call was ended after it was sent', header('aborted', 'unknown', true), false],
])('%s: the regular flow may follow: %s', (_, end, expected) => {
  expect(mayPayRegularly('exact', end)).toBe(expected);
  expect(mayPayRegularly('upto', end)).toBe(false);
});

test('a header that was shown leads to the regular flow for its minimum alone, and never in doubt', () => {
  const codes = fc.oneof(fc.string(), fc.constant('x402_minimum_amount_not_met'));
  const moved = fc.constantFrom<MoneyMoved>('no', 'yes', 'unknown');
  fc.assert(
    fc.property(codes, moved, fc.boolean(), (code, moneyMoved, isInDoubt) => {
      if (!mayPayRegularly('exact', header(code, moneyMoved, isInDoubt))) return;
      expect([code, moneyMoved, isInDoubt]).toEqual(['x402_minimum_amount_not_met', 'no', false]);
    }),
  );
});
