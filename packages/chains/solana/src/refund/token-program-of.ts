import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { ChainUnavailable } from '@svc-pay/core';
import { askFirst } from '../rpc/ask-nodes.ts';
import type { SolanaNode } from '../rpc/solana-node.ts';
import { TOKEN_2022_PROGRAM } from '../transfer/programs.ts';

/** The program that a mint belongs to, which never changes. Throws `ChainUnavailable` where no node has the mint. */
export async function tokenProgramOf(nodes: readonly SolanaNode[], mint: string): Promise<string> {
  const [account] = await askFirst(nodes, (node) => node.accounts([mint]));
  const program = account?.owner;
  if (program !== TOKEN_PROGRAM_ADDRESS && program !== TOKEN_2022_PROGRAM)
    throw new ChainUnavailable(`${mint} is not a mint by the node that was asked`);
  return program;
}
