// The transaction of a Solana Pay request: the payer is its only signer and pays its fee. Nothing of it is trusted afterwards:
// a wallet may change it, and only what it does to balances counts. It is a legacy transaction, which every wallet reads.

import type { RequestedTransfer, TransferStores, TransferToRequest } from '@svc-pay/core';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import { askFirst } from '../rpc/ask-nodes.ts';
import { type AccountsProblem, accountsOf, accountsProblem } from '../transfer/check-accounts.ts';
import { findTerms, type TermsQuestion } from '../transfer/find-terms.ts';
import type { Cluster } from '../transfer/open-clusters.ts';
import { compile } from '../transfer/prepare-transfer.ts';
import { isWalletAddress } from '../transfer/token-account.ts';

/** Throws `ChainUnavailable` when no node answers. */
export async function requestTransfer(
  stores: TransferStores,
  cluster: Cluster | undefined,
  wanted: TransferToRequest,
  reference: string,
): Promise<RequestedTransfer> {
  const { caller, intentId, acceptance, payer, open } = wanted;
  if (cluster === undefined) return { ok: false, code: 'chain_unavailable' };
  if (!isWalletAddress(payer)) return { ok: false, code: 'sender_mismatch' };
  const question: TermsQuestion = { caller, intentId, acceptance, payer, relayer: payer };
  const first = await findTerms(stores, cluster, question);
  if (first === undefined) return { ok: false, code: 'x402_not_available_for_token' };
  if (first.terms.legs.some(({ owner }) => owner === payer)) return { ok: false, code: 'sender_mismatch' };
  const addresses = await accountsOf(first.terms);
  const { accounts, lifetime } = await askFirst(cluster.nodes, async (node) => ({
    accounts: await node.accounts(addresses),
    lifetime: await node.latestLifetime(),
  }));
  const problem = accountsProblem(first.terms, accounts);
  if (problem !== undefined) return { ok: false, code: CODES[problem] };
  const feeRecipient = await open(reference, first.feeRecipient);
  const found =
    feeRecipient === first.feeRecipient ? first : await findTerms(stores, cluster, { ...question, feeRecipient });
  // The reader looks for the fee where the reference says: a transaction that pays it elsewhere would not be counted.
  if (found?.feeRecipient !== feeRecipient) return { ok: false, code: 'x402_not_available_for_token' };
  const made = await compile({ ...found.terms, reference }, lifetime, payer, 'legacy');
  return made.ok ? { ok: true, wire: made.prepared.wire } : { ok: false, code: 'x402_not_available_for_token' };
}

const CODES = {
  x402_not_available_for_token: 'x402_not_available_for_token',
  // A recipient has no token account, or it is frozen.
  x402_temporarily_unavailable: 'x402_not_available_for_token',
  insufficient_funds: 'insufficient_funds',
  token_refused: 'token_refused',
} as const satisfies Record<AccountsProblem, ErrorCode>;
