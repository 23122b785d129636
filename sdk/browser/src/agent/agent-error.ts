// How a call of the agent ends when it has no answer to give.
import type { MoneyMoved } from '@svc-pay/protocol';

const AGENT_SENTENCES = {
  aborted: 'The call was aborted.',
  already_paid: 'This request was paid before, and its payment can no longer be presented. Nothing was signed.',
  answer_lost:
    'The payment was sent and no answer came back. Call again: the same payment is sent, no new one is signed.',
  challenge_unreadable: 'The seller asks for a payment in a form that is not x402 version 1 or 2.',
  host_not_allowed: 'No limit allows payments to this host.',
  insecure_url: 'Payments go to https addresses only, or to this machine.',
  invalid_request: 'The request can’t be paid by the agent.',
  limit_day: 'The payment exceeds what is left of the limit per day.',
  limit_host: 'The payment exceeds what is left of the limit per host and day.',
  limit_request: 'The payment exceeds the limit per request.',
  not_approved: 'The payment was not approved.',
  nothing_payable: 'The seller offers nothing that the agent may sign.',
  payment_expired:
    'An earlier payment of this request has expired, and nobody has shown that it is unused. It counts as spent.',
  payment_pending:
    'The payment is on its way to the chain. Call again: the same payment is sent, no new one is signed.',
  payment_refused: 'The seller asks for a payment again after it was given one. No second one is signed.',
  redirected: 'The seller sent the request where payments do not follow it.',
  seller_failed:
    'The seller failed after it was given a payment. Call again: the same payment is sent, no new one is signed.',
  seller_unreachable: 'The seller did not answer.',
  signer_failed: 'The signer gave no signature.',
  store_failed: 'The record of payments can’t be read or written, so nothing more is signed.',
} as const;

export type AgentErrorCode = keyof typeof AGENT_SENTENCES;

export type AgentErrorInfo = {
  readonly moneyMoved?: MoneyMoved;
  /** What lies behind the code: the field, the seller's own word, or what is left of a limit. */
  readonly reason?: string;
  readonly transaction?: string;
  readonly cause?: unknown;
};

/** The one kind of error that the agent throws. */
export class AgentPayError extends Error {
  override readonly name = 'AgentPayError';
  readonly code: AgentErrorCode;
  /** Whether this request took money. `unknown`: a signed payment went out; it counts as spent until it is shown unused. */
  readonly moneyMoved: MoneyMoved;
  readonly reason: string | null;
  /** As the seller names it. */
  readonly transaction: string | null;

  constructor(code: AgentErrorCode, { moneyMoved = 'no', reason, transaction, cause }: AgentErrorInfo = {}) {
    const sentence = AGENT_SENTENCES[code];
    super(reason === undefined ? sentence : `${sentence} (${reason})`, cause === undefined ? undefined : { cause });
    this.code = code;
    this.moneyMoved = moneyMoved;
    this.reason = reason ?? null;
    this.transaction = transaction ?? null;
  }
}
