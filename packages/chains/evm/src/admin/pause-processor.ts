// The guardian pauses the processor with one call; the council unpauses it through the timelock.
import { type Address, encodeFunctionData } from 'viem';
import { paymentProcessorAbi } from '../generated/payment-processor-abi.ts';
import type { AdminClient } from './open-chain.ts';
import { type CallOutcome, sendCall } from './send-call.ts';
import type { TimelockOperation } from './timelock.ts';

/** `chain` is the guardian's account. */
export async function pauseProcessor(chain: AdminClient, processor: Address): Promise<CallOutcome> {
  return sendCall(chain, {
    to: processor,
    data: encodeFunctionData({ abi: paymentProcessorAbi, functionName: 'pause' }),
  });
}

/** An operation that the council proposes and executes. `label` must be new each time. */
export function unpauseOperation(processor: Address, label: string): TimelockOperation {
  const data = encodeFunctionData({ abi: paymentProcessorAbi, functionName: 'unpause' });
  return { label, calls: [{ to: processor, data }] };
}
