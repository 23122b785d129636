// A wallet, or an attacker in its place, that alters the transaction it was shown.
import {
  address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  createTransactionMessage,
  getTransactionEncoder,
  type Instruction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import { budgetFor, budgetInstructions, type ComputeBudget } from '../transfer/compute-budget.ts';
import { transferInstructions } from '../transfer/transfer-instructions.ts';
import type { PreparedTransfer, TransferTerms } from '../transfer/transfer-terms.ts';

export type Alteration = {
  /** Builds the transaction as if these terms had been agreed. */
  readonly terms?: TransferTerms;
  readonly budget?: readonly Instruction[] | ComputeBudget;
  /** Changes the transfers and the memo. */
  readonly change?: (instructions: readonly Instruction[]) => readonly Instruction[];
  readonly before?: readonly Instruction[];
  readonly after?: readonly Instruction[];
  readonly feePayer?: string;
  readonly blockhash?: string;
  readonly version?: 0 | 'legacy';
};

export async function alter(prepared: PreparedTransfer, alteration: Alteration): Promise<Uint8Array> {
  const { terms = prepared.terms, before = [], after = [], version = 0, change = (same) => same } = alteration;
  const budget = alteration.budget ?? budgetFor(terms.legs.length);
  const instructions = [
    ...before,
    ...('units' in budget ? budgetInstructions(budget) : budget),
    ...change(await transferInstructions(terms)),
    ...after,
  ];
  const blockhash = (alteration.blockhash ?? prepared.lifetime.blockhash) as Blockhash;
  const { lastValidBlockHeight } = prepared.lifetime;
  const message = pipe(
    createTransactionMessage({ version }),
    (draft) => setTransactionMessageFeePayer(address(alteration.feePayer ?? terms.relayer), draft),
    (draft) => setTransactionMessageLifetimeUsingBlockhash({ blockhash, lastValidBlockHeight }, draft),
    (draft) => appendTransactionMessageInstructions(instructions, draft),
  );
  return Uint8Array.from(getTransactionEncoder().encode(compileTransaction(message)));
}
