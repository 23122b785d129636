import { UNSETTLED_OUTCOMES } from '@svc-pay/core';
import { EVENT_TYPES, INTENT_STATUSES, PAYMENT_STATUSES } from '@svc-pay/protocol';
import { ERRORS, RESULTS } from '@svc-pay/protocol/errors';
import {
  DELIVERY_STATUSES,
  delivery,
  deliveryAttempt,
  REFUND_STATUSES,
  TIMELINE_REASONS,
  TIMELINE_SITUATIONS,
} from '@svc-pay/protocol/merchant';
import { expect, test } from 'vitest';
import { entryWords, failureWords, PAYMENT_FAILURES, REFUND_FAILURES, whyWords } from './failures.ts';
import { REASON_WORDS, SITUATION_WORDS, STRANDED_WORDS } from './situations.ts';
import {
  DELIVERY_WORDS,
  EVENT_NAMES,
  INTENT_WORDS,
  OUTCOME_WORDS,
  PAYMENT_WORDS,
  REFUND_WORDS,
  type StateWords,
} from './states.ts';

const sorted = (names: Iterable<string>) => [...names].sort();

test.each<[string, Readonly<Record<string, StateWords>>, readonly string[]]>([
  ['an intent', INTENT_WORDS, INTENT_STATUSES],
  ['a payment', PAYMENT_WORDS, PAYMENT_STATUSES],
  ['a refund', REFUND_WORDS, REFUND_STATUSES],
  ['a delivery', DELIVERY_WORDS, DELIVERY_STATUSES],
  ['a delivery’s attempt', OUTCOME_WORDS, deliveryAttempt.shape.outcome.options],
])('every status of %s has a word and a sentence', (_, words, statuses) => {
  expect(sorted(Object.keys(words))).toEqual(sorted(statuses));
  for (const { word, why } of Object.values(words)) {
    expect(word.length).toBeLessThanOrEqual(20);
    expect(why).toMatch(/^[A-Z].+\.$/);
  }
});

test('the delivery of the protocol has the statuses that are explained', () => {
  expect(sorted(delivery.shape.status.options)).toEqual(sorted(Object.keys(DELIVERY_WORDS)));
});

test('every event type is named', () => {
  expect(sorted(EVENT_NAMES)).toEqual(sorted(EVENT_TYPES));
});

test('every result of a payment and every code of a refund is explained: what happened and what to do', () => {
  expect(sorted(Object.keys(PAYMENT_FAILURES))).toEqual(sorted(Object.keys(RESULTS)));
  const refundCodes = Object.keys(ERRORS).filter((code) => code.startsWith('refund_'));
  expect(sorted(Object.keys(REFUND_FAILURES))).toEqual(sorted(refundCodes));
  for (const code of [...Object.keys(RESULTS), ...refundCodes]) {
    expect(failureWords(code)?.what).toMatch(/^[A-Z].+\.$/);
    expect(failureWords(code)?.todo).toMatch(/^[A-Z].+\.$/);
  }
});

test('a code that is no failure of a payment has no words here, nor has a name of every object', () => {
  for (const code of ['not_found', 'toString', '__proto__', '']) expect(failureWords(code)).toBeUndefined();
});

test('every situation and every reason of a timeline is said in a sentence', () => {
  for (const code of [...TIMELINE_SITUATIONS, ...TIMELINE_REASONS, ...Object.keys(RESULTS)])
    expect(whyWords(code)).toMatch(/^[A-Z].+\.$/);
  expect(sorted(Object.keys({ ...SITUATION_WORDS, ...REASON_WORDS }))).toEqual(
    sorted([...TIMELINE_SITUATIONS, ...TIMELINE_REASONS]),
  );
  expect(whyWords('some_new_code')).toBe('some_new_code');
});

test('why money lies with the processor is said for every answer of a chain', () => {
  const codes = [...UNSETTLED_OUTCOMES, 'gas_budget_spent'];
  expect(sorted(Object.keys(STRANDED_WORDS))).toEqual(sorted(codes));
  for (const why of codes) expect(entryWords({ kind: 'money_stranded', why })).toMatch(/^[A-Z].+\.$/);
});

test.each(deliveryAttempt.shape.outcome.options)(
  'why your server did not take an event is said in words: %s',
  (why) => {
    expect(entryWords({ kind: 'delivery_tried', why })).toBe(OUTCOME_WORDS[why].why);
  },
);
