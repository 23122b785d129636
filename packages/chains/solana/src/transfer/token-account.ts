import { address, isAddress, isOffCurveAddress } from '@solana/kit';
import { findAssociatedTokenPda } from '@solana-program/token';

/** Cache: deriving an address takes a millisecond, and the recipients are mostly the same. */
const derived = new Map<string, string>();
const MOST_KEPT = 10_000;

/** Address of the account that holds an owner's tokens of one mint. */
export async function tokenAccountOf(owner: string, mint: string, tokenProgram: string): Promise<string> {
  const key = `${owner}/${mint}/${tokenProgram}`;
  const known = derived.get(key);
  if (known !== undefined) return known;
  const [account] = await findAssociatedTokenPda({
    owner: address(owner),
    mint: address(mint),
    tokenProgram: address(tokenProgram),
  });
  if (derived.size >= MOST_KEPT) derived.clear();
  derived.set(key, account);
  return account;
}

/** 32 bytes in base58. Does not tell whether the address has a private key. */
export const isSolanaAddress = (text: string): boolean => isAddress(text);

/** Cache: the check goes through big integers, and payers come again. */
const judged = new Map<string, boolean>();

/** Whether the text is an address that can have a private key. */
export function isWalletAddress(text: string): boolean {
  // Not kept: a client may send a text of any length.
  if (!isAddress(text)) return false;
  const known = judged.get(text);
  if (known !== undefined) return known;
  const isWallet = !isOffCurveAddress(text);
  if (judged.size >= MOST_KEPT) judged.clear();
  judged.set(text, isWallet);
  return isWallet;
}
