// One account on one chain, with everything that deploying and administering needs.
import {
  type Account,
  type Chain,
  createPublicClient,
  createWalletClient,
  defineChain,
  type HttpTransport,
  http,
  type PublicActions,
  publicActions,
  type WalletClient,
} from 'viem';

export type ChainAccount = WalletClient<HttpTransport, Chain, Account> & PublicActions<HttpTransport, Chain, Account>;

export async function openChain(options: {
  readonly rpcUrl: string;
  readonly account: Account;
  readonly pollingIntervalMs?: number;
}): Promise<ChainAccount> {
  const transport = http(options.rpcUrl);
  const id = await createPublicClient({ transport }).getChainId();
  const chain = defineChain({
    id,
    name: `eip155:${id}`,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [options.rpcUrl] } },
  });
  const pollingInterval = options.pollingIntervalMs ?? 1_000;
  return createWalletClient({ account: options.account, chain, transport, pollingInterval }).extend(publicActions);
}
