import { INTENT_STATUSES } from '@svc-pay/protocol';
import { describe, expect, test } from 'vitest';
import { decideStranding, type HeldMoneyDecision, judgeHeldMoney, type StrandingFacts } from './decide-stranded.ts';

type Settlement = NonNullable<StrandingFacts['settlement']>;

describe('money that was just proven to be stranded', () => {
  const TABLE: Readonly<Record<Settlement, 'settle' | 'return' | undefined>> = {
    queued: undefined,
    batched: undefined,
    mined: undefined,
    completed: undefined,
    held: 'settle',
    failed: 'return',
    canceled: 'return',
  };
  test.each(Object.entries(TABLE))('of a payment whose settlement is %s: %s', (settlement, action) => {
    expect(decideStranding({ paymentId: 'pay_a', settlement: settlement as Settlement })).toBe(action);
  });

  test('is held for the merchant if no payment claimed the authorization', () => {
    expect(decideStranding({ paymentId: null, settlement: null })).toBe('hold');
  });

  test('is not recorded for a payment without a settlement', () => {
    expect(decideStranding({ paymentId: 'pay_a', settlement: null })).toBeUndefined();
  });
});

describe('money that waits for the merchant of an up-to intent', () => {
  const TABLE: Readonly<Record<Settlement, HeldMoneyDecision | undefined>> = {
    queued: { action: 'settle', payment: 'hold' },
    held: { action: 'settle', payment: 'keep' },
    batched: undefined,
    mined: undefined,
    completed: undefined,
    failed: { action: 'return', payment: 'keep' },
    canceled: { action: 'return', payment: 'keep' },
  };
  const rows = Object.entries(TABLE).flatMap(([begun, decision]) =>
    INTENT_STATUSES.map((intent) => ({ intent, begun: begun as Settlement, decision })),
  );
  test.each(rows)('begun and $begun, intent $intent: the begun payment alone decides', ({ decision, ...facts }) => {
    expect(judgeHeldMoney(facts)).toEqual(decision);
  });

  test.each(INTENT_STATUSES)('not begun, intent %s: returned only if the intent can never be paid', (intent) => {
    const isOver = intent === 'canceled' || intent === 'failed';
    expect(judgeHeldMoney({ intent, begun: null })).toEqual(
      isOver ? { action: 'return', payment: 'write_canceled' } : undefined,
    );
  });
});
