import type { RefundTypedData } from '@svc-pay/protocol/merchant';
import { discoverWallets, type Eip1193Provider, injectedProvider } from '@svc-pay/sdk/evm';
import { short } from '../format/short.ts';
import { wasRefused } from './was-refused.ts';

/** Asks the wallets of this browser for the account that was paid, in the order they announced themselves. */
export async function signOnEvm(from: string, typedData: RefundTypedData): Promise<string> {
  const announced = (await discoverWallets()).map(({ provider }) => provider);
  const injected = injectedProvider();
  const providers = announced.length === 0 && injected !== undefined ? [injected] : announced;
  if (providers.length === 0)
    throw new Error(
      'No wallet was found in this browser. Install the one that was paid, or refund by a transfer of your own.',
    );
  const found = await providerOf(providers, from);
  if (found === undefined)
    throw new Error(
      `The wallets in this browser do not offer the account ${short(from)}, which was paid. Choose it in your wallet and try again.`,
    );
  await moveTo(found.provider, typedData.domain.chainId);
  const signature = await ask(found.provider, 'eth_signTypedData_v4', [found.account, JSON.stringify(typedData)]);
  if (typeof signature !== 'string') throw new Error('The wallet answered without a signature.');
  return signature;
}

type Offered = { readonly provider: Eip1193Provider; readonly account: string };

async function providerOf(providers: readonly Eip1193Provider[], from: string): Promise<Offered | undefined> {
  for (const provider of providers) {
    const accounts = await ask(provider, 'eth_requestAccounts');
    const account = Array.isArray(accounts)
      ? accounts.find((one): one is string => typeof one === 'string' && one.toLowerCase() === from.toLowerCase())
      : undefined;
    if (account !== undefined) return { provider, account };
  }
  return undefined;
}

/** Wallets refuse to sign for another chain than the one they are on. */
async function moveTo(provider: Eip1193Provider, chainId: number): Promise<void> {
  const hex = `0x${chainId.toString(16)}`;
  const current = await ask(provider, 'eth_chainId');
  if (typeof current === 'string' && BigInt(current) === BigInt(chainId)) return;
  await ask(provider, 'wallet_switchEthereumChain', [{ chainId: hex }]);
}

async function ask(provider: Eip1193Provider, method: string, params?: readonly unknown[]): Promise<unknown> {
  try {
    return await provider.request({ method, ...(params && { params }) });
  } catch (problem) {
    if (wasRefused(problem)) throw new Error('You declined in your wallet. Nothing was sent.', { cause: problem });
    const told = (problem as { readonly message?: unknown } | null)?.message;
    throw new Error(`Your wallet refused: ${typeof told === 'string' ? told : method}`, { cause: problem });
  }
}
