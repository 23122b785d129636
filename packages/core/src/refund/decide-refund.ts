// Decides what the final blocks of a chain mean for an open refund. A refund fails only when it is certain that it moves no
// money any more; all that is not certain leaves it as it is.
import type { ErrorCode } from '@svc-pay/protocol/errors';
import { sameAddress } from '../token/address.ts';
import { hasOwnNonce } from './refund.ts';
import type { RefundOutcome, VoidRefund } from './refund-chain.ts';
import type { OpenRefund, RefundEvidence } from './refund-store.ts';

export type RefundDecision =
  | { readonly action: 'wait' }
  | { readonly action: 'complete'; readonly evidence: RefundEvidence }
  | { readonly action: 'fail'; readonly code: ErrorCode };

export const REFUND_NOT_PROVEN = 'refund_transfer_not_proven';

const FAILURES: Readonly<Record<VoidRefund, ErrorCode>> = {
  expired: 'refund_expired',
  canceled: 'refund_signature_used',
  not_found: REFUND_NOT_PROVEN,
  reverted: REFUND_NOT_PROVEN,
  no_transfer: REFUND_NOT_PROVEN,
  ambiguous: REFUND_NOT_PROVEN,
};

type Decided = Pick<
  OpenRefund,
  'kind' | 'amountAtomic' | 'recipient' | 'wallet' | 'wallets' | 'signature' | 'nonce' | 'sequence' | 'installation'
> &
  Parameters<typeof hasOwnNonce>[1] & { readonly payment: Pick<OpenRefund['payment'], 'payer'> };

export function decideRefund(refund: Decided, outcome: RefundOutcome): RefundDecision {
  if (!isRefund(refund)) return { action: 'fail', code: REFUND_NOT_PROVEN };
  if (outcome.outcome === 'void') return { action: 'fail', code: FAILURES[outcome.reason] };
  if (outcome.outcome === 'open') return { action: 'wait' };
  // The nonce is used up by a transfer that gave the payer nothing back.
  if (isFound(refund) && !sameAddress(refund.recipient, outcome.recipient))
    return { action: 'fail', code: FAILURES.canceled };
  if (!isOf(refund, outcome)) return { action: 'wait' };
  const { transactionId, logIndex, amountAtomic } = outcome;
  // As the database spells them: logs have no letter case.
  const { recipient } = refund;
  const wallet = refund.wallets.find((own) => sameAddress(own, outcome.wallet)) ?? outcome.wallet;
  return { action: 'complete', evidence: { transactionId, logIndex, wallet, recipient, amountAtomic } };
}

/**
 * Whoever can write rows must not make just any transfer a refund: a wallet of the account pays it, under the nonce of its
 * terms. A reported transfer, which no wallet signed for this payment, goes to the payer. Where nobody knows
 * the payer any more, no transfer is proven.
 */
function isRefund(refund: Decided): boolean {
  const { kind, wallet, wallets, recipient, payment } = refund;
  if (!wallets.some((own) => sameAddress(own, wallet))) return false;
  if (kind !== 'reported') return hasOwnNonce(refund.installation, refund);
  return payment.payer !== null && sameAddress(recipient, payment.payer);
}

const isFound = ({ kind, signature }: Decided) => kind !== 'reported' && signature === null;

/**
 * Of an authorization, and of a refund that was found on chain, the log says how much it is: one nonce moves money once,
 * and the wallet may have signed several amounts under it. Of a reported one, the log says from where and how much.
 */
function isOf(refund: Decided, transferred: Extract<RefundOutcome, { readonly outcome: 'transferred' }>): boolean {
  const { kind, amountAtomic, recipient, wallet, wallets } = refund;
  if (transferred.amountAtomic <= 0n || !sameAddress(recipient, transferred.recipient)) return false;
  if (kind === 'reported') return wallets.some((own) => sameAddress(own, transferred.wallet));
  if (!sameAddress(wallet, transferred.wallet)) return false;
  return isFound(refund) || kind === 'authorization' || amountAtomic === transferred.amountAtomic;
}
