import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { askFirst } from '../rpc/ask-nodes.ts';
import type { SolanaNode } from '../rpc/solana-node.ts';
import { tokenAccountOf } from './token-account.ts';
import { readTokenAccount } from './token-account-data.ts';

/**
 * Balance in a mint of the first token program; 0 without an account. Throws `ChainUnavailable` when no node answers.
 */
export async function readTokenBalance(nodes: readonly SolanaNode[], owner: string, mint: string): Promise<bigint> {
  const at = await tokenAccountOf(owner, mint, TOKEN_PROGRAM_ADDRESS);
  const [account] = await askFirst(nodes, (node) => node.accounts([at]));
  return (account && readTokenAccount(account)?.amountAtomic) ?? 0n;
}
