// The instructions of a payment, in order: transfers, then the memo if it has one. The compute budget precedes them.
import { AccountRole, type Address, address, createNoopSigner, type Instruction } from '@solana/kit';
import { getTransferCheckedInstruction } from '@solana-program/token';
import { MEMO_PROGRAM } from './programs.ts';
import { tokenAccountOf } from './token-account.ts';
import { memoOf, type TransferTerms } from './transfer-terms.ts';

export async function transferInstructions(terms: TransferTerms): Promise<readonly Instruction[]> {
  const { payer, mint, tokenProgram, decimals, legs, intentId } = terms;
  const { memo = memoOf(intentId) } = terms;
  // Payer, mint, program and owners are addresses: a token account is derived from nothing else.
  const source = (await tokenAccountOf(payer, mint, tokenProgram)) as Address;
  const transfers = await Promise.all(
    legs.map(async ({ owner, amountAtomic }) =>
      getTransferCheckedInstruction(
        {
          source,
          mint: mint as Address,
          destination: (await tokenAccountOf(owner, mint, tokenProgram)) as Address,
          authority: createNoopSigner(payer as Address),
          amount: amountAtomic,
          decimals,
        },
        { programAddress: tokenProgram as Address },
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
