// What a relayer's account must hold to send.
import type { RelayerCondition } from '@svc-pay/core';
import { askFirst } from '../rpc/ask-nodes.ts';
import type { SolanaNode } from '../rpc/solana-node.ts';

/** Two signatures, and the dearest priority fee that is accepted. */
export const DEAREST_LAMPORTS = 15_000n;
/** What the chain wants to stay on an account. */
export const RENT_LAMPORTS = 890_880n;
/** What a node answers at once. */
const MOST_ACCOUNTS = 100;

export type RelayerFloat = {
  readonly relayer: string;
  readonly lamports: bigint;
  readonly condition: Extract<RelayerCondition, 'fine' | 'low' | 'empty'>;
};

/** `low` below what so many transactions cost at their dearest, `empty` below one. Throws when no node answers. */
export async function readFloats(
  nodes: readonly SolanaNode[],
  relayers: readonly string[],
  lowTransactions: bigint,
): Promise<readonly RelayerFloat[]> {
  const floats: RelayerFloat[] = [];
  for (let at = 0; at < relayers.length; at += MOST_ACCOUNTS) {
    const some = relayers.slice(at, at + MOST_ACCOUNTS);
    const accounts = await askFirst(nodes, (node) => node.accounts(some));
    for (const [index, relayer] of some.entries()) {
      const lamports = accounts[index]?.lamports ?? 0n;
      floats.push({ relayer, lamports, condition: conditionOf(lamports, lowTransactions) });
    }
  }
  return floats;
}

function conditionOf(lamports: bigint, lowTransactions: bigint): RelayerFloat['condition'] {
  if (lamports < RENT_LAMPORTS + DEAREST_LAMPORTS) return 'empty';
  return lamports < RENT_LAMPORTS + DEAREST_LAMPORTS * lowTransactions ? 'low' : 'fine';
}
