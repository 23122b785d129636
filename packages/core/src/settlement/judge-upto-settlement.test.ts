import { atomicAmount } from '@svc-pay/money';
import { INTENT_STATUSES, PAYMENT_STATUSES } from '@svc-pay/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { confirmed, sampleIntent, samplePayment } from '../testing/samples.ts';
import { judgeSettlement, type UptoSituation } from './judge-upto-settlement.ts';
import type { StoredAuthorization } from './upto-read.ts';

const NOW_MS = 1_800_000_000_500;
const NOW_SECONDS = 1_800_000_000n;
const CAP = 1_500_000n;
const intent = confirmed(sampleIntent());
const stored: StoredAuthorization = {
  network: intent.network,
  asset: intent.ledgerId,
  recipient: `0x${'52'.repeat(20)}`,
  cap: atomicAmount(CAP),
  validBeforeSeconds: NOW_SECONDS + 3_600n,
  closed: false,
};
const situation = (change: Partial<UptoSituation> = {}): UptoSituation => ({
  intent,
  payment: null,
  stored,
  processorVersion: '1.3.0',
  ...change,
});
const codeOf = (given: UptoSituation, settled: bigint) => {
  const judged = judgeSettlement(given, settled, NOW_MS);
  return judged.verdict === 'refused' ? judged.code : judged.verdict;
};

test.each([
  [1n, 'begin'],
  [CAP, 'begin'],
  [0n, 'settled_amount_out_of_range'],
  [-1n, 'settled_amount_out_of_range'],
  [CAP + 1n, 'settled_amount_out_of_range'],
])('%s of a cap of 1500000: %s', (settled, expected) => {
  expect(codeOf(situation(), settled)).toBe(expected);
});

test.each<[string, Partial<UptoSituation>, string]>([
  ['an exact intent', { intent: sampleIntent() }, 'not_an_upto_intent'],
  ['nothing confirmed', { stored: null }, 'upto_not_confirmed'],
  ['an old processor', { processorVersion: '1.2.9' }, 'x402_upto_not_available'],
  ['another processor', { processorVersion: undefined }, 'x402_upto_not_available'],
  ['a closed authorization', { stored: { ...stored, closed: true } }, 'authorization_expired'],
  ['59 s left', { stored: { ...stored, validBeforeSeconds: NOW_SECONDS + 59n } }, 'authorization_expired'],
  ['60 s left', { stored: { ...stored, validBeforeSeconds: NOW_SECONDS + 60n } }, 'begin'],
  ['a released intent', { intent: { ...intent, status: 'canceled' } }, 'intent_not_payable'],
])('%s', (_, change, expected) => {
  expect(codeOf(situation(change), 5n)).toBe(expected);
});

test('an open or done payment answers for its own amount and for no other, even after the window', () => {
  const over = { ...stored, validBeforeSeconds: NOW_SECONDS - 1n };
  for (const status of PAYMENT_STATUSES) {
    const payment = samplePayment({ status, amount: atomicAmount(7n) });
    const again = status === 'failed' || status === 'canceled';
    expect(codeOf(situation({ payment }), 7n)).toBe(again ? 'begin' : 'begun');
    expect(codeOf(situation({ payment }), 8n)).toBe(again ? 'begin' : 'upto_already_settled');
    expect(codeOf(situation({ payment, stored: over }), 7n)).toBe(again ? 'authorization_expired' : 'begun');
  }
});

test('whatever the rows, nothing begins above the cap, beside another payment or on an intent that is not waiting', () => {
  const given = fc.record({
    status: fc.constantFrom(...INTENT_STATUSES),
    payment: fc.option(
      fc.record({
        status: fc.constantFrom(...PAYMENT_STATUSES),
        amount: fc.bigInt({ min: 1n, max: 9n }).map(atomicAmount),
      }),
    ),
    settled: fc.bigInt({ min: -2n, max: CAP * 2n }),
    secondsLeft: fc.bigInt({ min: -100n, max: 200n }),
    version: fc.constantFrom('1.2.0', '1.3.0', '2.0.0', undefined),
  });
  fc.assert(
    fc.property(given, ({ status, payment, settled, secondsLeft, version }) => {
      const judged = judgeSettlement(
        {
          intent: { ...intent, status },
          payment: payment && samplePayment(payment),
          stored: { ...stored, validBeforeSeconds: NOW_SECONDS + secondsLeft },
          processorVersion: version,
        },
        settled,
        NOW_MS,
      );
      if (judged.verdict !== 'begin') return;
      expect(settled > 0n && settled <= CAP && secondsLeft >= 60n).toBe(true);
      expect(status).toBe('requires_payment');
      expect([undefined, 'failed', 'canceled']).toContain(payment?.status);
      expect(['1.3.0', '2.0.0']).toContain(version);
    }),
  );
});
