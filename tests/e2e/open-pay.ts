// A payer who calls the processor's open `pay` with the processor's allowance.
import { mockUsdcAbi, paymentProcessorAbi } from '@svc-pay/evm';
import { createWalletClient, type Hex, http, parseEther, publicActions } from 'viem';
import type { World } from './start-world.ts';

export type PayByCall = (code: bigint, payoutId: bigint, amountAtomic: bigint) => Promise<Hex>;

/** Resolves to the transaction when it is mined. */
export async function approvedPayer(
  { chain }: World,
  amountAtomic: bigint,
  token = chain.tokens.usdc,
): Promise<{ readonly pay: PayByCall }> {
  const { account } = await chain.newKey(parseEther('1'));
  await chain.mint(token, account.address, amountAtomic);
  const client = createWalletClient({ account, transport: http(chain.rpcUrl) }).extend(publicActions);
  const mined = async (hash: Hex) => {
    const { status } = await client.waitForTransactionReceipt({ hash, pollingInterval: 20 });
    if (status !== 'success') throw new Error(`${hash} was refused`);
    return hash;
  };
  await mined(
    await client.writeContract({
      chain: null,
      abi: mockUsdcAbi,
      address: token,
      functionName: 'approve',
      args: [chain.record.processor, amountAtomic],
    }),
  );
  return {
    pay: async (code, payoutId, amount) =>
      mined(
        await client.writeContract({
          chain: null,
          abi: paymentProcessorAbi,
          address: chain.record.processor,
          functionName: 'pay',
          args: [token, code, payoutId, amount],
          gas: 1_500_000n,
        }),
      ),
  };
}
