import { address, none } from '@solana/kit';
import { AccountState, getTokenEncoder } from '@solana-program/token';
import { localMint } from '../../local/local-mint.ts';
import { tokenAccountOf } from '../../transfer/token-account.ts';
import type { LiteAccount } from './lite-ledger.ts';

/** Rent of a token account's 165 bytes. */
const TOKEN_ACCOUNT_LAMPORTS = 2_039_280n;

/** An owner's account of the local mint, with its address. */
export async function liteTokenAccount(
  owner: string,
  amountAtomic: bigint,
  state = AccountState.Initialized,
): Promise<LiteAccount & { readonly at: string }> {
  const mint = await localMint();
  const data = getTokenEncoder().encode({
    mint: mint.address,
    owner: address(owner),
    amount: amountAtomic,
    delegate: none(),
    state,
    isNative: none(),
    delegatedAmount: 0n,
    closeAuthority: none(),
  });
  const at = await tokenAccountOf(owner, mint.address, mint.owner);
  return { at, owner: mint.owner, data: Uint8Array.from(data), lamports: TOKEN_ACCOUNT_LAMPORTS };
}
