// One account on one chain, with everything that deploying and administering needs.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Account,
  type Chain,
  createPublicClient,
  createWalletClient,
  defineChain,
  type Hash,
  type HttpTransport,
  http,
  type PublicActions,
  publicActions,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
  WaitForTransactionReceiptTimeoutError,
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
  const client = createWalletClient({ account: options.account, chain, transport, pollingInterval }).extend(
    publicActions,
  );
  return client.extend(() => ({
    waitForTransactionReceipt: ({ hash }: { hash: Hash }) => waitMined(client, hash, pollingInterval),
  }));
}

const PATIENCE_MS = 180_000;

/** Asks until it is there. viem waits for the next block in between, and where blocks come on demand none may follow. */
async function waitMined(client: ChainAccount, hash: Hash, pollingIntervalMs: number): Promise<TransactionReceipt> {
  const startMs = performance.now();
  for (;;) {
    try {
      return await client.getTransactionReceipt({ hash });
    } catch (problem) {
      if (!(problem instanceof TransactionReceiptNotFoundError)) throw problem;
      if (performance.now() - startMs > PATIENCE_MS) throw new WaitForTransactionReceiptTimeoutError({ hash });
    }
    await sleep(pollingIntervalMs);
  }
}
