// Checks a payment by signed text against the chain, before the payer signs and again before it is accepted.
import type { ErrorCode } from '@svc-pay/protocol/errors';
import { askFirst } from '../rpc/ask-nodes.ts';
import type { ChainAccount, Lifetime, SolanaNode } from '../rpc/solana-node.ts';
import { accountsOf, accountsProblem } from '../transfer/check-accounts.ts';
import { payerProblem } from '../transfer/prepare-transfer.ts';
import { readTokenAccount } from '../transfer/token-account-data.ts';
import { type MessageTerms, totalOf } from './message-terms.ts';
import { delegateOf, receiptOf } from './program-accounts.ts';

export type MessageCheck =
  /** `approved`: the payer's approval covers the amount. */
  | { readonly ok: true; readonly approved: boolean; readonly lifetime: Lifetime }
  | { readonly ok: false; readonly code: ErrorCode };

/** Throws `ChainUnavailable` when no node answers. */
export async function checkMessage(nodes: readonly SolanaNode[], terms: MessageTerms): Promise<MessageCheck> {
  if (payerProblem(terms) !== undefined) return { ok: false, code: 'sender_mismatch' };
  const [receipt, delegate, addresses] = await Promise.all([
    receiptOf(terms),
    delegateOf(terms.program),
    accountsOf(terms),
  ]);
  return askFirst(nodes, async (node): Promise<MessageCheck> => {
    const [program = null, used = null, ...accounts] = await node.accounts([
      terms.program,
      receipt.address,
      ...addresses,
    ]);
    if (program === null) return { ok: false, code: 'not_available' };
    // Anybody may send lamports to the address; only the program can become the owner of the account.
    if (used?.owner === terms.program) return { ok: false, code: 'authorization_already_used' };
    const code = accountsProblem(terms, accounts);
    if (code !== undefined) return { ok: false, code };
    const lifetime = await node.latestLifetime();
    return { ok: true, approved: isApproved(accounts[1] ?? null, delegate.address, totalOf(terms)), lifetime };
  });
}

function isApproved(source: ChainAccount | null, delegate: string, amountAtomic: bigint): boolean {
  const account = source && readTokenAccount(source);
  return account?.delegate === delegate && account.delegatedAtomic >= amountAtomic;
}
