// Prepares a transaction for a wallet to sign, from the chain's current state.
import { askFirst } from '../rpc/ask-nodes.ts';
import type { SolanaNode } from '../rpc/solana-node.ts';
import { type AccountsProblem, accountsOf, accountsProblem } from '../transfer/check-accounts.ts';
import { type PrepareRefusal, payerProblem, prepareTransfer } from '../transfer/prepare-transfer.ts';
import type { PreparedTransfer, TransferTerms } from '../transfer/transfer-terms.ts';

export type PreparedOnChain =
  | { readonly ok: true; readonly prepared: PreparedTransfer }
  | { readonly ok: false; readonly code: PrepareRefusal | AccountsProblem };

/** Throws `ChainUnavailable` when no node answers. */
export async function prepareOnChain(nodes: readonly SolanaNode[], terms: TransferTerms): Promise<PreparedOnChain> {
  const problem = payerProblem(terms);
  if (problem !== undefined) return { ok: false, code: problem };
  const addresses = await accountsOf(terms);
  const { lifetime, accounts } = await askFirst(nodes, async (node) => ({
    accounts: await node.accounts(addresses),
    lifetime: await node.latestLifetime(),
  }));
  const prepared = await prepareTransfer(terms, lifetime);
  if (!prepared.ok) return prepared;
  const code = accountsProblem(terms, accounts);
  return code === undefined ? prepared : { ok: false, code };
}
