// The balance that a relayer needs to send.
import { getAddressEncoder } from '@solana/kit';
import type { RelayerCondition } from '@svc-pay/core';
import { RECEIPT_LAMPORTS } from '../message/program-codes.ts';
import { askFirst } from '../rpc/ask-nodes.ts';
import type { SolanaNode } from '../rpc/solana-node.ts';
import { ED25519_PROGRAM } from '../transfer/programs.ts';

/** Two signatures and the highest accepted priority fee. */
const DEAREST_LAMPORTS = 15_000n;
/** Minimum balance that the chain requires of an account. */
export const RENT_LAMPORTS = 890_880n;
/** The most accounts that a node returns in one answer. */
const MOST_ACCOUNTS = 100;

const EVIDENCE = Buffer.from(getAddressEncoder().encode(ED25519_PROGRAM));

/** The most that a transaction costs its relayer; the transaction of a signed text also lends its receipt the rent. */
export function dearestOf(raw: Uint8Array): bigint {
  return DEAREST_LAMPORTS + (Buffer.from(raw).includes(EVIDENCE) ? RECEIPT_LAMPORTS : 0n);
}

export type RelayerFloat = {
  readonly relayer: string;
  readonly lamports: bigint;
  readonly condition: Extract<RelayerCondition, 'fine' | 'low' | 'empty'>;
};

/** `low`: below the highest cost of so many transactions. `empty`: below that of one. Throws when no node answers. */
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
