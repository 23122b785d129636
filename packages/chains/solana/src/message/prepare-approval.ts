// The payer's one-time approval, as a transaction that the payer signs, pays for and sends, without the relayer.
import { address, createNoopSigner, getTransactionEncoder } from '@solana/kit';
import { getApproveCheckedInstruction } from '@solana-program/token';
import type { Lifetime } from '../rpc/solana-node.ts';
import { budgetInstructions } from '../transfer/compute-budget.ts';
import { tokenAccountOf } from '../transfer/token-account.ts';
import { type MessageTerms, totalOf } from './message-terms.ts';
import { delegateOf } from './program-accounts.ts';
import { compile } from './sign-payment.ts';

/** The approval covers this many payments of the same amount; wallets display the sum and warn of an unlimited one. */
const PAYMENTS_APPROVED = 10n;
const MOST = 2n ** 64n - 1n;
const BUDGET = { units: 20_000, microLamportsPerUnit: 10_000n };

export async function prepareApproval(terms: MessageTerms, lifetime: Lifetime): Promise<Uint8Array> {
  const { program, payer, mint, tokenProgram, decimals } = terms;
  const wanted = totalOf(terms) * PAYMENTS_APPROVED;
  const approve = getApproveCheckedInstruction(
    {
      source: address(await tokenAccountOf(payer, mint, tokenProgram)),
      mint: address(mint),
      delegate: address((await delegateOf(program)).address),
      owner: createNoopSigner(address(payer)),
      amount: wanted > MOST ? MOST : wanted,
      decimals,
    },
    { programAddress: address(tokenProgram) },
  );
  const transaction = compile(payer, [...budgetInstructions(BUDGET), approve], lifetime);
  return Uint8Array.from(getTransactionEncoder().encode(transaction));
}
