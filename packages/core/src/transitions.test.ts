import { INTENT_STATUSES, type IntentStatus, PAYMENT_STATUSES, type PaymentStatus } from '@svc-pay/protocol';
import { describe, expect, test } from 'vitest';
import { INTENT_TRANSITIONS } from './intent/intent-transitions.ts';
import { PAYMENT_TRANSITIONS } from './payment/payment-transitions.ts';
import { type Cause, diagramOf, mayFollow, type Transitions, transition } from './transitions.ts';

/** Written by hand from the rules, independent of the tables: every other pair is illegal. */
const LEGAL_INTENT = [
  'requires_payment>processing',
  'requires_payment>completed',
  'requires_payment>mismatched',
  'requires_payment>canceled',
  'requires_payment>failed',
  'processing>completed',
  'processing>mismatched',
  'processing>failed',
  'processing>requires_payment',
  'mismatched>completed',
  'mismatched>canceled',
  'completed>processing:reorg',
];
const LEGAL_PAYMENT = [
  'pending>completed',
  'pending>failed',
  'pending>canceled',
  'pending>mismatched',
  'mismatched>completed',
  'mismatched>refunded',
  'completed>refunded',
  'completed>pending:reorg',
];

function everyStep<Status extends string>(table: Transitions<Status>, statuses: readonly Status[], legal: string[]) {
  const steps = statuses.flatMap((from) =>
    statuses.flatMap((to) => (['ordinary', 'reorg'] as const).map((cause: Cause) => ({ from, to, cause }))),
  );
  describe.each(steps)('$from → $to ($cause)', ({ from, to, cause }) => {
    const expected = legal.includes(`${from}>${to}${cause === 'reorg' ? ':reorg' : ''}`);
    test(expected ? 'is allowed' : 'is refused', () => {
      expect(mayFollow(table, from, to, cause)).toBe(expected);
      if (expected) expect(transition(table, from, to, cause)).toBe(to);
      else expect(() => transition(table, from, to, cause)).toThrow(`${from} can't become ${to}`);
    });
  });
}

describe('intents', () => everyStep<IntentStatus>(INTENT_TRANSITIONS, INTENT_STATUSES, LEGAL_INTENT));
describe('payments', () => everyStep<PaymentStatus>(PAYMENT_TRANSITIONS, PAYMENT_STATUSES, LEGAL_PAYMENT));

test('the diagram shows every edge, a reorg by its name, and the ends', () => {
  const diagram = diagramOf<IntentStatus>(INTENT_TRANSITIONS, 'requires_payment');
  expect(diagram.split('\n').filter((line) => line.includes('-->'))).toHaveLength(LEGAL_INTENT.length + 3);
  expect(diagram).toContain('completed --> processing: reorg');
  expect(diagram).toContain('canceled --> [*]');
});
