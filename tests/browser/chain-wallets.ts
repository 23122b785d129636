// Wallets with money on the local chain, which read its node.
import { createWalletClient, type Hex, http } from 'viem';
import type { World } from '../e2e/start-world.ts';
import { type TestWallet, testWallet, unsupported } from './test-wallet.ts';

type Params = readonly unknown[];
type OnChain = Pick<World, 'chain'>;

const ONE_COIN = '0xde0b6b3a7640000';

async function askChain({ chain }: OnChain, method: string, params: Params): Promise<unknown> {
  const response = await fetch(chain.rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return ((await response.json()) as { result: unknown }).result;
}

/** With so much of the token in it. */
export async function fundedWallet(world: OnChain, atomic: bigint): Promise<TestWallet> {
  const wallet = testWallet('Harbor', { eth_call: (params) => askChain(world, 'eth_call', params) });
  await world.chain.mint(world.chain.tokens.usdc, wallet.account.address, atomic);
  return wallet;
}

/** Can't sign typed data, and sends transactions with gas of its own. */
export async function sendingWallet(world: OnChain, atomic: bigint): Promise<TestWallet> {
  const wallet = await fundedWallet(world, atomic);
  const { account, answers } = wallet;
  await askChain(world, 'anvil_setBalance', [account.address, ONE_COIN]);
  const client = createWalletClient({ account, transport: http(world.chain.rpcUrl) });
  Object.assign(answers, {
    eth_signTypedData_v4: unsupported,
    eth_sendTransaction: ([transaction]: Params) => {
      const { to, data } = transaction as { readonly to: Hex; readonly data: Hex };
      return client.sendTransaction({ chain: null, to, data });
    },
    eth_getTransactionReceipt: (params: Params) => askChain(world, 'eth_getTransactionReceipt', params),
    eth_blockNumber: () => askChain(world, 'eth_blockNumber', []),
  });
  return wallet;
}
