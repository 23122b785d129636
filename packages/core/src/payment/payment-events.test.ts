import { PAYMENT_STATUSES } from '@svc-pay/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { confirmed, sampleIntent, samplePayment } from '../testing/samples.ts';
import { mayFollow } from '../transitions.ts';
import { eventsFor, type Snapshot } from './payment-events.ts';
import { PAYMENT_TRANSITIONS } from './payment-transitions.ts';

const intent = sampleIntent();
const bare: Snapshot = { intent, payment: null };
const pending = samplePayment();
const linked = { ...pending, transactionId: '0xabc', announced: true };
const types = (before: Snapshot | undefined, after: Snapshot) => eventsFor(before, after).map(({ type }) => type);
const step = (before: Partial<typeof pending> | null, after: Partial<typeof pending>) =>
  types(
    { intent, payment: before === null ? null : { ...pending, ...before } },
    { intent, payment: { ...pending, ...after } },
  );

describe('the trigger table, row by row', () => {
  test('an intent is created: payment_intent.created', () => {
    expect(types(undefined, bare)).toEqual(['payment_intent.created']);
  });
  test('an up-to confirm persisted the header: x402_upto_authorization_received, once', () => {
    const after = { intent: confirmed(intent), payment: null };
    expect(types(bare, after)).toEqual(['x402_upto_authorization_received']);
    expect(types(after, after)).toEqual([]);
  });
  test('another authorization took the place of the first: x402_upto_authorization_received again', () => {
    const first = { intent: confirmed(intent), payment: null };
    const second = { intent: { ...first.intent, expiresAtMs: first.intent.expiresAtMs + 1_000 }, payment: null };
    expect(types(first, second)).toEqual(['x402_upto_authorization_received']);
  });
  test('an intent is canceled or expires: payment_intent.canceled, once', () => {
    const canceled = { intent: { ...intent, status: 'canceled' as const }, payment: null };
    expect(types(bare, canceled)).toEqual(['payment_intent.canceled']);
    expect(types(canceled, canceled)).toEqual([]);
  });
  test('a payment that is only claimed says nothing yet', () => {
    expect(step(null, {})).toEqual([]);
  });
  test('a transaction id is set for the first time: payment.created', () => {
    expect(step({}, { transactionId: '0xabc' })).toEqual(['payment.created']);
  });
  test('a payment created as failed: payment.created, then payment.failed', () => {
    expect(step(null, { status: 'failed' })).toEqual(['payment.created', 'payment.failed']);
  });
  test('a payment changed without ending: payment.updated, with what was before', () => {
    const after = { ...linked, transactionId: '0xdef' };
    expect(eventsFor({ intent, payment: linked }, { intent, payment: after })).toEqual([
      { type: 'payment.updated', previousAttributes: { transactionId: '0xabc', ledgerTxId: '0xabc' } },
    ]);
  });
  test('a payment that left its batch names no transaction: payment.updated, and payment.created never again', () => {
    const left = { ...linked, transactionId: null };
    expect(eventsFor({ intent, payment: linked }, { intent, payment: left })).toEqual([
      { type: 'payment.updated', previousAttributes: { transactionId: '0xabc', ledgerTxId: '0xabc' } },
    ]);
    expect(types({ intent, payment: left }, { intent, payment: linked })).toEqual(['payment.updated']);
  });
  test.each([
    ['completed', 'payment.completed'],
    ['failed', 'payment.failed'],
    ['canceled', 'payment.cancelled'],
  ] as const)('the status becomes %s: %s', (status, type) => {
    expect(types({ intent, payment: linked }, { intent, payment: { ...linked, status } })).toEqual([type]);
  });
  test('the status becomes refunded: payment.refunded', () => {
    const completed = { ...linked, status: 'completed' as const };
    expect(types({ intent, payment: completed }, { intent, payment: { ...completed, status: 'refunded' } })).toEqual([
      'payment.refunded',
    ]);
  });
  test('a commit that links and completes: created, then completed', () => {
    expect(step({}, { transactionId: '0xabc', status: 'completed' })).toEqual(['payment.created', 'payment.completed']);
  });
  test('the status becomes mismatched: payment.updated', () => {
    expect(types({ intent, payment: linked }, { intent, payment: { ...linked, status: 'mismatched' } })).toEqual([
      'payment.updated',
    ]);
  });
  test('a payment that ends without a transaction is announced at its end', () => {
    expect(step({}, { status: 'canceled' })).toEqual(['payment.created', 'payment.cancelled']);
  });
  test('a reorganised chain takes a completed payment back: payment.updated with the old status', () => {
    const completed = { ...linked, status: 'completed' as const, completedAtMs: 1_700_000_005_000 };
    const [event] = eventsFor({ intent, payment: completed }, { intent, payment: { ...linked, completedAtMs: null } });
    expect(event).toMatchObject({ type: 'payment.updated', previousAttributes: { status: 'completed' } });
  });
  test('without a change there is no event', () => {
    expect(types({ intent, payment: linked }, { intent, payment: linked })).toEqual([]);
  });
});

const CAUSES = ['ordinary', 'reorg', 'unwritten'] as const;

test('over any life of a payment, created comes exactly once and first, and every ending is told', () => {
  const life = fc.array(fc.record({ status: fc.constantFrom(...PAYMENT_STATUSES), link: fc.boolean() }), {
    maxLength: 8,
  });
  fc.assert(
    fc.property(life, (steps) => {
      let payment = samplePayment();
      const told: string[] = [];
      for (const { status, link } of steps) {
        const moves = CAUSES.some((cause) => mayFollow(PAYMENT_TRANSITIONS, payment.status, status, cause));
        const after = {
          ...payment,
          status: moves ? status : payment.status,
          transactionId: payment.transactionId ?? (link ? '0xabc' : null),
        };
        const events = types({ intent, payment }, { intent, payment: after });
        told.push(...events);
        payment = { ...after, announced: payment.announced || events.includes('payment.created') };
        if (moves && status === 'completed') expect(events).toContain('payment.completed');
        if (moves && status === 'mismatched') expect(events).toContain('payment.updated');
      }
      const announced = told.filter((type) => type === 'payment.created').length;
      expect(announced).toBe(told.length === 0 ? 0 : 1);
      if (told.length > 0) expect(told[0]).toBe('payment.created');
    }),
    { numRuns: 500 },
  );
});
