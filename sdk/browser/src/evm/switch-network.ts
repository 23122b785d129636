// Bringing the wallet to the chain of the payment. Switching is best effort and its troubles are passed over, but for two:
// a person's no is a no, and a wallet that ends up elsewhere is not asked to sign.

import { isUnknownChain } from '../ask/wallet-problem.ts';
import { SvcPayError } from '../error/svc-pay-error.ts';
import type { WalletCall } from '../wallet.ts';
import { askWallet, type Question } from './ask-wallet.ts';
import type { Eip1193Provider } from './eip1193.ts';

export type Chain = { readonly chainId: number; readonly rpcUrlPublic: string | undefined };

const CHAINS: Readonly<Record<number, readonly [name: string, coin: string]>> = {
  1: ['Ethereum', 'ETH'],
  137: ['Polygon', 'POL'],
  8453: ['Base', 'ETH'],
  31337: ['Anvil', 'ETH'],
  42161: ['Arbitrum One', 'ETH'],
  43114: ['Avalanche', 'AVAX'],
  84532: ['Base Sepolia', 'ETH'],
};

/** Ends with the wallet on the chain, or throws. */
export async function switchNetwork(provider: Eip1193Provider, chain: Chain, call: WalletCall): Promise<void> {
  const ask = (method: Question['method'], parameter: unknown) =>
    askWallet(provider, call, { method, params: [parameter], refusedAs: 'network_switch_refused' });
  const chainId = `0x${chain.chainId.toString(16)}`;
  if ((await readChainId(provider, call)) === chain.chainId) return;
  try {
    await ask('wallet_switchEthereumChain', { chainId });
  } catch (problem) {
    if (problem instanceof SvcPayError) throw problem;
    if (isUnknownChain(problem) && chain.rpcUrlPublic !== undefined) {
      await passingOver(ask('wallet_addEthereumChain', description(chain, chainId)));
      if ((await readChainId(provider, call)) === chain.chainId) return;
      await passingOver(ask('wallet_switchEthereumChain', { chainId }));
    }
  }
  await assertChain(provider, chain.chainId, call);
}

/** Throws `wrong_network` unless the wallet says that it is on the chain. */
export async function assertChain(provider: Eip1193Provider, chainId: number, call: WalletCall): Promise<void> {
  const found = await readChainId(provider, call);
  if (found !== chainId)
    throw new SvcPayError('wrong_network', { reason: `wanted ${chainId}, found ${found ?? 'none'}` });
}

export async function readChainId(provider: Eip1193Provider, call: WalletCall): Promise<number | undefined> {
  try {
    const told = await askWallet(provider, call, { method: 'eth_chainId', refusedAs: 'connection_refused' });
    const chainId = typeof told === 'string' || typeof told === 'number' ? Number(told) : Number.NaN;
    return Number.isSafeInteger(chainId) && chainId > 0 ? chainId : undefined;
  } catch (problem) {
    if (problem instanceof SvcPayError) throw problem;
    return undefined;
  }
}

function description({ chainId, rpcUrlPublic }: Chain, chainIdHex: string) {
  const [chainName, symbol] = CHAINS[chainId] ?? [`Chain ${chainId}`, 'ETH'];
  return {
    chainId: chainIdHex,
    chainName,
    rpcUrls: [rpcUrlPublic],
    nativeCurrency: { name: symbol, symbol, decimals: 18 },
  };
}

async function passingOver(asked: Promise<unknown>): Promise<void> {
  try {
    await asked;
  } catch (problem) {
    if (problem instanceof SvcPayError) throw problem;
  }
}
