// Prepares the transaction that the merchant's wallet signs for a refund.
import { isAddress } from '@solana/kit';
import { prepareOnChain } from '../prepare/prepare-on-chain.ts';
import type { SolanaNode } from '../rpc/solana-node.ts';
import type { PreparedTransfer } from '../transfer/transfer-terms.ts';
import { refundRefusal, type SolanaRefundRefusal } from './refund-refusal.ts';
import { refundTerms, type SolanaRefundTransfer } from './refund-terms.ts';

export type PreparedRefund =
  | { readonly ok: true; readonly prepared: PreparedTransfer }
  | { readonly ok: false; readonly code: SolanaRefundRefusal };

/** The recipient must have a token account: the relayer creates none. Throws `ChainUnavailable` when no node answers. */
export async function prepareRefund(
  nodes: readonly SolanaNode[],
  refund: SolanaRefundTransfer,
): Promise<PreparedRefund> {
  if (!isAddress(refund.recipient)) return { ok: false, code: 'refund_recipient_needed' };
  const made = await prepareOnChain(nodes, refundTerms(refund));
  return made.ok ? made : { ok: false, code: refundRefusal(made.code) };
}
