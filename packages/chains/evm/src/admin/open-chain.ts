// One account on one chain, with all that deployment and administration need.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Account,
  type Chain,
  createPublicClient,
  createWalletClient,
  defineChain,
  type Hash,
  type Hex,
  type HttpTransport,
  http,
  type PublicActions,
  publicActions,
  type TransactionReceipt,
  WaitForTransactionReceiptTimeoutError,
  type WalletClient,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

export type AdminClient = WalletClient<HttpTransport, Chain, Account> & PublicActions<HttpTransport, Chain, Account>;

export async function openChain(options: {
  readonly rpcUrl: string;
  readonly account: Account;
  readonly pollingIntervalMs?: number;
}): Promise<AdminClient> {
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

/**
 * Polls for the receipt. viem would wait for the next block, and on a chain that mines on demand none may follow. A node that
 * fails to answer is asked again: the transaction was sent, and the error at the end names it.
 */
async function waitMined(client: AdminClient, hash: Hash, pollingIntervalMs: number): Promise<TransactionReceipt> {
  const startMs = performance.now();
  for (;;) {
    try {
      return await client.getTransactionReceipt({ hash });
    } catch {
      if (performance.now() - startMs > PATIENCE_MS) throw new WaitForTransactionReceiptTimeoutError({ hash });
    }
    await sleep(pollingIntervalMs);
  }
}

/**
 * An account from its private key in 0x-hex. Throws when the node, which is asked for its chain id, is out of reach.
 */
export async function openAccount(options: {
  readonly rpcUrl: string;
  readonly privateKey: string;
}): Promise<AdminClient> {
  return openChain({ rpcUrl: options.rpcUrl, account: privateKeyToAccount(options.privateKey as Hex) });
}
