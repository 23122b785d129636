// The wallet of the sandbox: its key comes from the chain's, so that it is the same for as long as the chain is kept.
import { keyFrom, type LocalChain, type LocalKey } from '@svc-pay/evm/local';
import { concat, hexToBytes, keccak256, stringToHex } from 'viem';
import { type SolanaKey, solanaKeyFrom } from './solana-key.ts';

const LEAST_ATOMIC = 100_000_000n;
const FILLED_ATOMIC = 1_000_000_000n;

export function payerWallet({ keys }: Pick<LocalChain, 'keys'>): LocalKey {
  return keyFrom(keccak256(concat([keys.faucet.privateKey, stringToHex('wallet of the sandbox')])));
}

/** The same person on Solana. */
export function solanaWalletKey({ privateKey }: Pick<LocalKey, 'privateKey'>): SolanaKey {
  return solanaKeyFrom(hexToBytes(keccak256(concat([privateKey, stringToHex('on Solana')]))));
}

/** Test USDC, when little is left. */
export async function fillWallet(chain: LocalChain, { account }: LocalKey): Promise<void> {
  const balanceAtomic = await chain.balanceOf(chain.tokens.usdc, account.address);
  if (balanceAtomic < LEAST_ATOMIC) await chain.mint(chain.tokens.usdc, account.address, FILLED_ATOMIC - balanceAtomic);
}
