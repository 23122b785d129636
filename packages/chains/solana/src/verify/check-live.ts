// Checks against the chain whether a signed transaction could land now.
import type { ErrorCode } from '@svc-pay/protocol/errors';
import { askFirst } from '../rpc/ask-nodes.ts';
import { recentHeight } from '../rpc/recent.ts';
import type { Lifetime, SolanaNode } from '../rpc/solana-node.ts';
import { accountsOf, accountsProblem, balanceIn } from '../transfer/check-accounts.ts';
import type { TransferTerms } from '../transfer/transfer-terms.ts';

export type Live =
  /** `balance`: of the payer, in the token. */
  | { readonly ok: true; readonly lifetime: Lifetime; readonly balance: bigint }
  | { readonly ok: false; readonly code: ErrorCode };

/** More slots than a live blockhash can be old, however many slots were skipped. */
const OLDEST_SLOTS = 2_000n;

/**
 * `prepared` is the lifetime the transaction was prepared with; null when the client chose its own blockhash, which
 * must then be live and counts as valid no longer than the newest one. Throws `ChainUnavailable` when no node answers.
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
    return code === undefined ? { ok: true, lifetime, balance: balanceIn(accounts) } : { ok: false, code };
  });
}

async function preparedLifetime(node: SolanaNode, prepared: Lifetime): Promise<Lifetime | undefined> {
  return (await recentHeight(node)) <= prepared.lastValidBlockHeight ? prepared : undefined;
}

async function freeLifetime(node: SolanaNode, blockhash: string): Promise<Lifetime | undefined> {
  if (!(await node.isBlockhashLive(blockhash))) return undefined;
  const newest = await node.latestLifetime();
  const slot = newest.slot > OLDEST_SLOTS ? newest.slot - OLDEST_SLOTS : 0n;
  return { blockhash, lastValidBlockHeight: newest.lastValidBlockHeight, slot };
}
