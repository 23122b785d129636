// What a refusal of the chain means for a refund in a lane: it stays queued and is tried again later, because the signature
// moves the money whoever submits it, until it expires. A final block decides.
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type { UnsentOutcome } from '../lane/judge-item.ts';

const FIRST_WAIT_MS = 60_000;
const LONGEST_WAIT_MS = 60 * 60_000;

/** Null: nothing of the refund is at fault, or somebody else submitted it. */
const REFUSALS: Partial<Readonly<Record<UnsentOutcome, ErrorCode>>> = {
  insufficient_funds: 'refund_insufficient_funds',
  pull_refused: 'refund_recipient_refused',
  reverted_alone: 'refund_recipient_refused',
  malformed: 'refund_signature_invalid',
  expired: 'refund_expired',
  gas_budget_spent: 'gas_budget_spent',
};

export type RefusedRefund = {
  readonly refusal: ErrorCode | null;
  /** The refund is not sent before. */
  readonly retryAtMs: number;
};

/** `refusals`: how often the chain refused it before. The wait doubles each time. */
export function refuseRefund(outcome: UnsentOutcome, refusals: number, nowMs: number): RefusedRefund {
  const waitMs = Math.min(FIRST_WAIT_MS * 2 ** Math.min(refusals, 10), LONGEST_WAIT_MS);
  return { refusal: REFUSALS[outcome] ?? null, retryAtMs: nowMs + waitMs };
}
