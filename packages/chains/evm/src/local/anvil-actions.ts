// Actions of a test or a developer on a local chain. When the promise of an action settles, its transaction is mined.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Address,
  createTestClient,
  erc20Abi,
  type Hex,
  http,
  parseEther,
  TransactionReceiptNotFoundError,
} from 'viem';
import { createNonceManager, jsonRpc } from 'viem/nonce';
import { openChain } from '../admin/open-chain.ts';
import { type OnChainPayoutTerms, type SetPayoutOutcome, setPayout } from '../admin/set-payout.ts';
import { mockUsdcAbi } from '../generated/mock-usdc-abi.ts';
import type { MockToken, MockTokenName } from './mock-tokens.ts';
import { type LocalKey, newKey, type RoleKeys } from './role-keys.ts';
import { walletCreation } from './wallet-creation.ts';

export type AnvilActions = {
  readonly tokens: Readonly<Record<MockTokenName, Address>>;
  readonly balanceOf: (token: Address, owner: Address) => Promise<bigint>;
  /** May be called concurrently: each mint goes into the next block. */
  readonly mint: (token: Address, to: Address, amountAtomic: bigint) => Promise<void>;
  /** Sends the owner's whole balance away, as a payer might between signing and settlement. */
  readonly emptyWallet: (token: Address, owner: Address) => Promise<void>;
  /** Deploys a contract wallet (ERC-1271) that accepts the signatures of `owner`. */
  readonly deployWallet: (owner: Address) => Promise<Address>;
  /** A new key, with ether when `etherWei` is given; a payer needs none. */
  readonly newKey: (etherWei?: bigint) => Promise<LocalKey>;
  /** Sent by the registrar. */
  readonly registerPayout: (terms: OnChainPayoutTerms) => Promise<SetPayoutOutcome>;
  /** Moves the chain's clock, and mines a block. */
  readonly advance: (seconds: number) => Promise<void>;
  /** Chain time in Unix seconds: the token compares a signature's window with it. */
  readonly nowSeconds: () => Promise<bigint>;
};

type Setup = {
  readonly rpcUrl: string;
  readonly processor: Address;
  readonly keys: RoleKeys;
  readonly tokens: Readonly<Record<MockTokenName, MockToken>>;
};

const POLL_MS = 10;
const NOWHERE: Address = '0x000000000000000000000000000000000000dEaD';

export async function anvilActions({ rpcUrl, processor, keys, tokens }: Setup): Promise<AnvilActions> {
  const node = createTestClient({ mode: 'anvil', transport: http(rpcUrl) });
  const nonceManager = createNonceManager({ source: jsonRpc() });
  const open = (account: LocalKey['account']) => openChain({ rpcUrl, account, pollingIntervalMs: POLL_MS });
  const [faucet, registrar] = await Promise.all([
    open({ ...keys.faucet.account, nonceManager }),
    open(keys.registrar.account),
  ]);
  const receiptOf = (hash: Hex) => faucet.getTransactionReceipt({ hash }).catch(notYet);
  // Polls for the receipt: a chain that mines on demand may have no further block to wait for.
  const mined = async (hash: Hex) => {
    let receipt = await receiptOf(hash);
    while (receipt === undefined) {
      await sleep(POLL_MS);
      receipt = await receiptOf(hash);
    }
    if (receipt.status !== 'success') throw new Error(`${hash} was mined and reverted`);
    return receipt;
  };
  const balanceOf: AnvilActions['balanceOf'] = (token, owner) =>
    faucet.readContract({ abi: erc20Abi, address: token, functionName: 'balanceOf', args: [owner] });
  return {
    tokens: { usdc: tokens.usdc.address, vol: tokens.vol.address, plain: tokens.plain.address },
    balanceOf,
    mint: async (token, to, amountAtomic) => {
      const mint = { abi: mockUsdcAbi, address: token, functionName: 'mint', args: [to, amountAtomic] } as const;
      await mined(await faucet.writeContract({ ...mint, gas: 100_000n }));
    },
    emptyWallet: async (token, owner) => {
      await node.impersonateAccount({ address: owner });
      await node.setBalance({ address: owner, value: parseEther('1') });
      const args = [NOWHERE, await balanceOf(token, owner)] as const;
      const transfer = { abi: erc20Abi, address: token, functionName: 'transfer', args } as const;
      await mined(await faucet.writeContract({ ...transfer, account: owner }));
      await node.stopImpersonatingAccount({ address: owner });
    },
    deployWallet: async (owner) => {
      const created = await faucet.sendTransaction({ data: walletCreation(owner), gas: 1_000_000n });
      const { contractAddress } = await mined(created);
      if (typeof contractAddress !== 'string') throw new Error('the wallet was not deployed');
      return contractAddress;
    },
    newKey: async (etherWei) => {
      const key = newKey();
      if (etherWei !== undefined) await node.setBalance({ address: key.account.address, value: etherWei });
      return key;
    },
    registerPayout: (terms) => setPayout(registrar, processor, terms),
    advance: async (seconds) => {
      await node.increaseTime({ seconds });
      await node.mine({ blocks: 1 });
    },
    nowSeconds: async () => (await faucet.getBlock()).timestamp,
  };
}

function notYet(problem: unknown): undefined {
  if (!(problem instanceof TransactionReceiptNotFoundError)) throw problem;
}
