// The refusals of a payment's transaction as a merchant who refunds reads them.
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type { PreparedOnChain } from '../prepare/prepare-on-chain.ts';

type Refusal = Extract<PreparedOnChain, { ok: false }>['code'];

const CODES = {
  // A program or a relayer can't sign as the wallet of a refund; the merchant sends the transfer and reports it.
  payer_invalid: 'refund_not_available',
  payer_is_relayer: 'refund_not_available',
  too_many_legs: 'refund_not_available',
  x402_not_available_for_token: 'refund_not_available',
  payer_is_recipient: 'refund_recipient_needed',
  // The recipient has no token account, or it is frozen.
  x402_temporarily_unavailable: 'refund_recipient_needed',
  insufficient_funds: 'refund_insufficient_funds',
  // The wallet's own account is frozen: what is in it can't be spent.
  token_refused: 'refund_insufficient_funds',
} as const satisfies Record<Refusal, ErrorCode>;

export type SolanaRefundRefusal = (typeof CODES)[Refusal];

export const refundRefusal = (code: Refusal): SolanaRefundRefusal => CODES[code];
