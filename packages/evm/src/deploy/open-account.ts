import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { type ChainAccount, openChain } from './open-chain.ts';

/** An account from its private key in 0x-hex. Asks the node for its chain, so it throws when the node is out of reach. */
export async function openAccount(options: {
  readonly rpcUrl: string;
  readonly privateKey: string;
}): Promise<ChainAccount> {
  return openChain({ rpcUrl: options.rpcUrl, account: privateKeyToAccount(options.privateKey as Hex) });
}
