// A third party that saw a signed header: submits it to the token directly, cancels it, or causes a reorg.
import { mockUsdcAbi } from '@svc-pay/evm';
import {
  type Address,
  createTestClient,
  createWalletClient,
  type Hex,
  http,
  type PrivateKeyAccount,
  parseEther,
  parseSignature,
  publicActions,
  TransactionReceiptNotFoundError,
} from 'viem';
import type { World } from './start-world.ts';
import type { SettleCall } from './wallet.ts';

type Authorization = {
  readonly from: Address;
  readonly to: Address;
  readonly value: string;
  readonly validAfter: string;
  readonly validBefore: string;
  readonly nonce: Hex;
};

export function signedIn({ paymentHeader }: SettleCall): {
  readonly authorization: Authorization;
  readonly signature: Hex;
} {
  const { payload } = JSON.parse(Buffer.from(paymentHeader, 'base64').toString()) as {
    payload: { authorization: Authorization; signature: Hex };
  };
  return payload;
}

/** Submits the authorization directly, with a tip that puts it before others. Resolves when mined. */
export async function submitDirectly({ chain }: Pick<World, 'chain'>, call: SettleCall, tipWei = 0n): Promise<Hex> {
  const { authorization, signature } = signedIn(call);
  const { r, s, yParity } = parseSignature(signature);
  const { account } = await chain.newKey(parseEther('1'));
  const client = createWalletClient({ account, transport: http(chain.rpcUrl) }).extend(publicActions);
  const hash = await client.writeContract({
    chain: null,
    abi: mockUsdcAbi,
    address: chain.tokens.usdc,
    functionName: 'transferWithAuthorization',
    args: [
      authorization.from,
      authorization.to,
      BigInt(authorization.value),
      BigInt(authorization.validAfter),
      BigInt(authorization.validBefore),
      authorization.nonce,
      yParity + 27,
      r,
      s,
    ],
    gas: 200_000n,
    ...(tipWei > 0n && { maxPriorityFeePerGas: tipWei, maxFeePerGas: tipWei * 2n }),
  });
  const { status } = await client.waitForTransactionReceipt({ hash, pollingInterval: 20 });
  if (status !== 'success') throw new Error('the stranger was refused');
  return hash;
}

/** Cancels the authorization on the token, signed by the payer. */
export async function cancelAuthorization(
  { chain }: World,
  signer: Pick<PrivateKeyAccount, 'address' | 'signTypedData'>,
  call: SettleCall,
): Promise<void> {
  const { nonce } = signedIn(call).authorization;
  const { name, eip3009Version: version, rpcChainId } = call.paymentRequirements.extra;
  const signature = await signer.signTypedData({
    domain: { name, version, chainId: Number(rpcChainId), verifyingContract: chain.tokens.usdc },
    types: {
      CancelAuthorization: [
        { name: 'authorizer', type: 'address' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'CancelAuthorization',
    message: { authorizer: signer.address, nonce },
  });
  const { r, s, yParity } = parseSignature(signature);
  const { account } = await chain.newKey(parseEther('1'));
  const client = createWalletClient({ account, transport: http(chain.rpcUrl) }).extend(publicActions);
  const hash = await client.writeContract({
    chain: null,
    abi: mockUsdcAbi,
    address: chain.tokens.usdc,
    functionName: 'cancelAuthorization',
    args: [signer.address, nonce, yParity + 27, r, s],
    gas: 200_000n,
  });
  const { status } = await client.waitForTransactionReceipt({ hash, pollingInterval: 20 });
  if (status !== 'success') throw new Error('the cancellation was refused');
}

export function nodeOf({ chain }: World) {
  const node = createTestClient({ mode: 'anvil', transport: http(chain.rpcUrl) }).extend(publicActions);
  return {
    blockNumber: () => node.getBlockNumber({ cacheTime: 0 }),
    findBlock: async (hash: Hex) => {
      try {
        return (await node.getTransactionReceipt({ hash })).blockNumber;
      } catch (problem) {
        if (problem instanceof TransactionReceiptNotFoundError) return undefined;
        throw problem;
      }
    },
    /** Replaces the newest blocks by empty ones; their transactions are dropped. */
    reorganise: (depth: number) =>
      node.request({ method: 'anvil_reorg', params: [depth, []] } as unknown as Parameters<typeof node.request>[0]),
    dropTransaction: (hash: Hex) => node.dropTransaction({ hash }),
    pending: async () => (await node.getTxpoolContent()).pending,
    mine: () => node.mine({ blocks: 1 }),
    mineEvery: (seconds: number) => node.setIntervalMining({ interval: seconds }),
  };
}
