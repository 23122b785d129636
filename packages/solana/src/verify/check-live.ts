// Whether a signed transaction could go through right now: the chain's part of taking it.
import type { ErrorCode } from '@svc-pay/protocol/errors';
import { accountsOf, accountsProblem } from '../prepare/check-accounts.ts';
import { askFirst } from '../rpc/ask-nodes.ts';
import type { Lifetime, SolanaNode } from '../rpc/solana-node.ts';
import type { TransferTerms } from '../transfer/transfer-terms.ts';

export type Live =
  | { readonly ok: true; readonly lifetime: Lifetime }
  | { readonly ok: false; readonly code: ErrorCode };

/** More than the slots in which a live blockhash can have come up, however many of them were skipped. */
const OLDEST_SLOTS = 2_000n;

/**
 * `prepared` is what it was prepared with; null where the client took a blockhash by itself: then it must be a live one,
 * and is good for no longer than the newest. Throws `ChainUnavailable` when no node answers.
 */
export async function checkLive(
  nodes: readonly SolanaNode[],
  terms: TransferTerms,
  blockhash: string,
  prepared: Lifetime | null,
): Promise<Live> {
  const addresses = await accountsOf(terms);
  return askFirst(nodes, async (node): Promise<Live> => {
    const [accounts, lifetime] = await Promise.all([
      node.accounts(addresses),
      prepared === null ? freeLifetime(node, blockhash) : preparedLifetime(node, prepared),
    ]);
    if (lifetime === undefined) return { ok: false, code: 'authorization_expired' };
    const code = accountsProblem(terms, accounts);
    return code === undefined ? { ok: true, lifetime } : { ok: false, code };
  });
}

async function preparedLifetime(node: SolanaNode, prepared: Lifetime): Promise<Lifetime | undefined> {
  return (await node.blockHeight('confirmed')) <= prepared.lastValidBlockHeight ? prepared : undefined;
}

async function freeLifetime(node: SolanaNode, blockhash: string): Promise<Lifetime | undefined> {
  if (!(await node.isBlockhashLive(blockhash))) return undefined;
  const newest = await node.latestLifetime();
  const slot = newest.slot > OLDEST_SLOTS ? newest.slot - OLDEST_SLOTS : 0n;
  return { blockhash, lastValidBlockHeight: newest.lastValidBlockHeight, slot };
}
