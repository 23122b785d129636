import { tokenAccountOf } from '../transfer/token-account.ts';
import type { TransferTerms } from '../transfer/transfer-terms.ts';
import type { Landing } from './read-balance-changes.ts';

/**
 * True if each recipient got exactly its share, the payer lost exactly the sum, no other account of the mint changed.
 */
export async function provesTransfer({ error, changes }: Landing, terms: TransferTerms): Promise<boolean> {
  if (error !== null) return false;
  const wanted = await changesBy(terms);
  const moved = [...changes].filter(([, { mint }]) => mint === terms.mint);
  return moved.length === wanted.size && moved.every(([account, change]) => wanted.get(account) === change.deltaAtomic);
}

async function changesBy({ payer, mint, tokenProgram, legs }: TransferTerms): Promise<ReadonlyMap<string, bigint>> {
  const wanted = new Map<string, bigint>();
  const add = async (owner: string, deltaAtomic: bigint) => {
    const account = await tokenAccountOf(owner, mint, tokenProgram);
    wanted.set(account, (wanted.get(account) ?? 0n) + deltaAtomic);
  };
  for (const { owner, amountAtomic } of legs) {
    await add(owner, amountAtomic);
    await add(payer, -amountAtomic);
  }
  return wanted;
}
