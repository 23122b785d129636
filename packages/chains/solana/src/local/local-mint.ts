// USDC of the local chain at devnet's address, so that a configuration for the local chain also works on devnet.
import { type Address, address, generateKeyPairSigner, none, some } from '@solana/kit';
import { getMintEncoder, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';

export const DEVNET_USDC = address('4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU');
const USDC_DECIMALS = 6;
/** Rent of a mint's 82 bytes. */
const MINT_LAMPORTS = 1_461_600n;

export type LocalMint = {
  readonly address: Address;
  readonly owner: typeof TOKEN_PROGRAM_ADDRESS;
  readonly lamports: bigint;
  readonly data: Uint8Array;
};

/** The mint authority is a key that is thrown away: balances are set, not minted. */
export async function localMint(at: Address = DEVNET_USDC): Promise<LocalMint> {
  const { address: authority } = await generateKeyPairSigner();
  const data = getMintEncoder().encode({
    mintAuthority: some(authority),
    supply: 0n,
    decimals: USDC_DECIMALS,
    isInitialized: true,
    freezeAuthority: none(),
  });
  return {
    address: at,
    owner: TOKEN_PROGRAM_ADDRESS,
    lamports: MINT_LAMPORTS,
    data: Uint8Array.from(data),
  };
}
