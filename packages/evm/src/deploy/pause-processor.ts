// Stopping is one call of the guardian; going on again is the council's, through the timelock.
import { type Address, encodeFunctionData } from 'viem';
import { paymentProcessorAbi } from '../generated/payment-processor-abi.ts';
import type { ChainAccount } from './open-chain.ts';
import { type CallOutcome, sendCall } from './send-call.ts';
import type { TimelockOperation } from './timelock.ts';

/** `chain` is the guardian's account. */
export async function pauseProcessor(chain: ChainAccount, processor: Address): Promise<CallOutcome> {
  return sendCall(chain, {
    to: processor,
    data: encodeFunctionData({ abi: paymentProcessorAbi, functionName: 'pause' }),
  });
}

/** To be proposed and executed by the council. `label` must be new each time. */
export function unpauseOperation(processor: Address, label: string): TimelockOperation {
  const data = encodeFunctionData({ abi: paymentProcessorAbi, functionName: 'unpause' });
  return { label, calls: [{ to: processor, data }] };
}
