// The instructions of a payment, in order: transfers, then the memo if it has one. The compute budget precedes them.
import { AccountRole, address, createNoopSigner, type Instruction } from '@solana/kit';
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
  const found = transfers.map((transfer, index) => (index === 0 ? withReference(transfer, terms.reference) : transfer));
  if (memo === null) return found;
  return [...found, { programAddress: MEMO_PROGRAM, data: new TextEncoder().encode(memo) }];
}

/** The token program ignores accounts behind those of a transfer, unless the authority is a multisig account. */
function withReference(transfer: Instruction, reference: string | undefined): Instruction {
  if (reference === undefined) return transfer;
  return {
    ...transfer,
    accounts: [...(transfer.accounts ?? []), { address: address(reference), role: AccountRole.READONLY }],
  };
}
