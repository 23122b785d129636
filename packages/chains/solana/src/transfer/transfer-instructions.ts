// The instructions of a payment, in order: transfers, then the memo if it has one. The compute budget precedes them.
import { address, createNoopSigner, type Instruction } from '@solana/kit';
import { getTransferCheckedInstruction } from '@solana-program/token';
import { MEMO_PROGRAM } from './programs.ts';
import { tokenAccountOf } from './token-account.ts';
import { memoOf, type TransferTerms } from './transfer-terms.ts';

export async function transferInstructions(terms: TransferTerms): Promise<readonly Instruction[]> {
  const { payer, mint, tokenProgram, decimals, legs, intentId } = terms;
  const { memo = memoOf(intentId) } = terms;
  const source = address(await tokenAccountOf(payer, mint, tokenProgram));
  const transfers = await Promise.all(
    legs.map(async ({ owner, amountAtomic }) =>
      getTransferCheckedInstruction(
        {
          source,
          mint: address(mint),
          destination: address(await tokenAccountOf(owner, mint, tokenProgram)),
          authority: createNoopSigner(address(payer)),
          amount: amountAtomic,
          decimals,
        },
        { programAddress: address(tokenProgram) },
      ),
    ),
  );
  if (memo === null) return transfers;
  return [...transfers, { programAddress: MEMO_PROGRAM, data: new TextEncoder().encode(memo) }];
}
