// Decides what is done with stranded money: it completes its payment (`settle`), goes back to the payer (`return`), or
// waits for the merchant of an up-to intent (`hold`).
import type { IntentStatus } from '@svc-pay/protocol';
import { INTENT_STATUS } from '../intent/intent-transitions.ts';
import { SETTLEMENT_STATUS, type SettlementStatus } from '../settlement/settlement-transitions.ts';

export type StrandedAction = 'settle' | 'return' | 'hold';

/** Undefined while a lane sends the payment, or after the payment completed: its transaction decides. */
const ACTION_BESIDE: Readonly<Record<SettlementStatus, 'settle' | 'return' | undefined>> = {
  queued: undefined,
  batched: undefined,
  mined: undefined,
  completed: undefined,
  held: 'settle',
  failed: 'return',
  canceled: 'return',
};

export type StrandingFacts = {
  /** Null for an up-to authorization that no payment claimed yet. */
  readonly paymentId: string | null;
  /** Status of the payment's settlement; null if there is none. */
  readonly settlement: SettlementStatus | null;
};

/**
 * Action for an authorization whose money finalized logs prove to be with the processor. Undefined if nothing may be
 * recorded now: the payment is in progress again, or done.
 */
export function decideStranding({ paymentId, settlement }: StrandingFacts): StrandedAction | undefined {
  if (paymentId === null) return 'hold';
  return settlement === null ? undefined : ACTION_BESIDE[settlement];
}

export type HeldMoneyFacts = {
  readonly intent: IntentStatus;
  /** Status of the settlement that the merchant's settle began; null if the merchant did not settle yet. */
  readonly begun: SettlementStatus | null;
};

export type HeldMoneyDecision = {
  readonly action: 'settle' | 'return';
  /**
   * `hold`: the begun settlement leaves the queue, so that no lane sends it. `keep`: it stays as it is. `write_canceled`:
   * ledger entries need a payment and there is none, so a canceled one is written; the intent does not refer to it.
   */
  readonly payment: 'hold' | 'keep' | 'write_canceled';
};

/** Undefined while nothing can be decided: the merchant may still settle, or a lane sends the begun payment. */
export function judgeHeldMoney({ intent, begun }: HeldMoneyFacts): HeldMoneyDecision | undefined {
  if (begun === null) {
    const isOver = intent === INTENT_STATUS.canceled || intent === INTENT_STATUS.failed;
    return isOver ? { action: 'return', payment: 'write_canceled' } : undefined;
  }
  if (begun === SETTLEMENT_STATUS.queued) return { action: 'settle', payment: 'hold' };
  const action = ACTION_BESIDE[begun];
  return action && { action, payment: 'keep' };
}
