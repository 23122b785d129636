// Prepares a transaction for a wallet to sign, from the chain's current state.
import { askFirst } from '../rpc/ask-nodes.ts';
import { recentLifetime } from '../rpc/recent.ts';
import type { SolanaNode } from '../rpc/solana-node.ts';
import { type AccountsProblem, accountsOf, accountsProblem } from '../transfer/check-accounts.ts';
import { compile, type PrepareRefusal, payerProblem } from '../transfer/prepare-transfer.ts';
import type { PreparedTransfer, TransferTerms } from '../transfer/transfer-terms.ts';

export type PreparedOnChain =
  | { readonly ok: true; readonly prepared: PreparedTransfer }
  | { readonly ok: false; readonly code: PrepareRefusal | AccountsProblem };

/** Throws `ChainUnavailable` when no node answers. */
export async function prepareOnChain(nodes: readonly SolanaNode[], terms: TransferTerms): Promise<PreparedOnChain> {
  const problem = payerProblem(terms);
  if (problem !== undefined) return { ok: false, code: problem };
  const addresses = await accountsOf(terms);
  const [accounts, lifetime] = await askFirst(nodes, (node) =>
    Promise.all([node.accounts(addresses), recentLifetime(node)]),
  );
  const prepared = await compile(terms, lifetime, terms.relayer, 0);
  if (!prepared.ok) return prepared;
  const code = accountsProblem(terms, accounts);
  return code === undefined ? prepared : { ok: false, code };
}
