// Wallet of the sandbox. The key derives from the chain's faucet key, so it stays the same while the chain is kept.
import { keyFrom, type LocalChain, type LocalKey } from '@svc-pay/evm/local';
import { concat, hexToBytes, keccak256, stringToHex } from 'viem';
import { icpKeyFrom } from './icp-key.ts';
import type { IcpKey } from './icp-test-wallet.ts';
import { type SolanaKey, solanaKeyFrom } from './solana-key.ts';

const LEAST_ATOMIC = 100_000_000n;
const FILLED_ATOMIC = 1_000_000_000n;

export function payerWallet({ keys }: Pick<LocalChain, 'keys'>): LocalKey {
  return keyFrom(keccak256(concat([keys.faucet.privateKey, stringToHex('wallet of the sandbox')])));
}

/** Derives the Solana key of the same wallet. */
export function solanaWalletKey({ privateKey }: Pick<LocalKey, 'privateKey'>): SolanaKey {
  return solanaKeyFrom(hexToBytes(keccak256(concat([privateKey, stringToHex('on Solana')]))));
}

/** Derives the key of the same wallet on the Internet Computer. */
export function icpWalletKey({ privateKey }: Pick<LocalKey, 'privateKey'>): IcpKey {
  return icpKeyFrom(hexToBytes(keccak256(concat([privateKey, stringToHex('on the Internet Computer')]))));
}

/** Mints test USDC when the balance is low. */
export async function fillWallet(chain: LocalChain, { account }: LocalKey): Promise<void> {
  const balanceAtomic = await chain.balanceOf(chain.tokens.usdc, account.address);
  if (balanceAtomic < LEAST_ATOMIC) await chain.mint(chain.tokens.usdc, account.address, FILLED_ATOMIC - balanceAtomic);
}
