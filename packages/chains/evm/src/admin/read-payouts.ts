// Reads payouts of the registry by id, many ids in one request.
import { PAYOUT_STATUS, type RegisteredPayout } from '@svc-pay/core';
import { type Address, decodeFunctionResult, encodeFunctionData, type Hex, zeroAddress } from 'viem';
import { paymentProcessorAbi } from '../generated/payment-processor-abi.ts';
import { askChain, resultOf } from '../rpc/ask-chain.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import type { OnChainPayoutTerms } from './set-payout.ts';

export type RegistryEntry = {
  readonly terms: OnChainPayoutTerms;
  /** `disabled` as soon as an end is set: the payout settles until then, but no new intent should name it. */
  readonly status: RegisteredPayout['status'] | 'unregistered';
};

export async function readPayouts(
  rpc: JsonRpc,
  processor: string,
  payoutIds: readonly bigint[],
): Promise<readonly RegistryEntry[]> {
  const answers = await askChain(
    rpc,
    payoutIds.map((id) => ({
      method: 'eth_call',
      params: [
        {
          to: processor as Address,
          data: encodeFunctionData({ abi: paymentProcessorAbi, functionName: 'payout', args: [id] }),
        },
        'latest',
      ],
    })),
  );
  return payoutIds.map((payoutId, index) => {
    const [head, splits] = decodeFunctionResult({
      abi: paymentProcessorAbi,
      functionName: 'payout',
      data: resultOf(answers[index]) as Hex,
    });
    const { merchant, feeBps, offAt } = head;
    const registered = offAt === 0n ? PAYOUT_STATUS.active : PAYOUT_STATUS.disabled;
    return {
      terms: { payoutId, merchant, feeBps, splits },
      status: merchant === zeroAddress ? 'unregistered' : registered,
    };
  });
}
