// What the chain says of a payment by a signed text, before it is signed and again before it is taken.
import type { ErrorCode } from '@svc-pay/protocol/errors';
import { readTokenAccount } from '../mint/token-account-data.ts';
import { accountsOf, accountsProblem } from '../prepare/check-accounts.ts';
import { askFirst } from '../rpc/ask-nodes.ts';
import type { ChainAccount, Lifetime, SolanaNode } from '../rpc/solana-node.ts';
import { payerProblem } from '../transfer/prepare-transfer.ts';
import { type MessageTerms, totalOf } from './message-terms.ts';
import { delegateOf, receiptOf } from './program-accounts.ts';

export type MessageCheck =
  /** `approved`: the payer's approval covers it. */
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
    // Others may send money there; only the program can make it its own.
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
