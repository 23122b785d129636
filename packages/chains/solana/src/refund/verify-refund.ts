// Compares a transaction that the merchant's wallet signed with the prepared one, and plays it.
import { outcomeOfError } from '../finality/outcome-of-error.ts';
import { askFirst } from '../rpc/ask-nodes.ts';
import type { SolanaNode } from '../rpc/solana-node.ts';
import { accountsOf, accountsProblem } from '../transfer/check-accounts.ts';
import { prepareTransfer } from '../transfer/prepare-transfer.ts';
import type { TransactionFlaw } from '../verify/refusal.ts';
import { verifySigned } from '../verify/verify-signed.ts';
import { refundRefusal, type SolanaRefundRefusal } from './refund-refusal.ts';
import { refundTerms } from './refund-terms.ts';
import type { StoredSolanaRefund } from './stored-refund.ts';

export type SignedSolanaRefund = StoredSolanaRefund & {
  /** Base64, as the wallet returned it. */
  readonly transaction: string;
};

export type VerifiedSolanaRefund =
  | { readonly ok: true; readonly signature: `0x${string}` }
  | {
      readonly ok: false;
      readonly code: SolanaRefundRefusal | 'refund_recipient_refused' | 'refund_canceled';
    }
  | { readonly ok: false; readonly code: 'refund_signature_invalid'; readonly detail: TransactionFlaw | 'message' };

/**
 * The message must be the prepared one, byte for byte: it is built again from the stored terms. Throws `ChainUnavailable`
 * when no node answers.
 */
export async function verifyRefund(
  nodes: readonly SolanaNode[],
  { transfer, lifetime, transaction }: SignedSolanaRefund,
): Promise<VerifiedSolanaRefund> {
  const terms = refundTerms(transfer);
  const made = await prepareTransfer(terms, lifetime);
  if (!made.ok) return { ok: false, code: refundRefusal(made.code) };
  const { messageHash } = made.prepared;
  const verified = await verifySigned(transaction, { terms, blockhash: lifetime.blockhash, messageHash });
  if (!verified.ok) return { ok: false, code: 'refund_signature_invalid', detail: verified.flaw };
  if (!verified.untouched) return { ok: false, code: 'refund_signature_invalid', detail: 'message' };
  const wire = Buffer.from(transaction, 'base64');
  const addresses = await accountsOf(terms);
  return askFirst(nodes, async (node): Promise<VerifiedSolanaRefund> => {
    const [accounts, height] = await Promise.all([node.accounts(addresses), node.blockHeight('confirmed')]);
    if (height > lifetime.lastValidBlockHeight) return { ok: false, code: 'refund_canceled' };
    const problem = accountsProblem(terms, accounts);
    if (problem !== undefined) return { ok: false, code: refundRefusal(problem) };
    const code = await refusalOf(node, wire);
    return code === undefined ? { ok: true, signature: `0x${wire.toString('hex')}` } : { ok: false, code };
  });
}

/** Without the relayer's signature nobody can send what is played here. */
async function refusalOf(
  node: SolanaNode,
  wire: Uint8Array,
): Promise<'refund_insufficient_funds' | 'refund_recipient_refused' | undefined> {
  const played = await node.simulate(wire);
  if (played.ok) return undefined;
  const meaning = outcomeOfError(played.error);
  if (meaning === 'insufficient_funds') return 'refund_insufficient_funds';
  // Anything else is the relayer's or the node's trouble, and the lane waits for its end.
  return meaning === 'pull_refused' ? 'refund_recipient_refused' : undefined;
}
