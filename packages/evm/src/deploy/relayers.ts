// A relayer comes in through the timelock and leaves at once: every key can give up its own role. That holds for a
// stolen key too, because we hold it as well and nobody can give the role back without the council.
import { type Address, encodeFunctionData } from 'viem';
import { paymentProcessorAbi } from '../generated/payment-processor-abi.ts';
import type { ChainAccount } from './open-chain.ts';
import { grantCall, ROLES, revokeCall } from './roles.ts';
import { type CallOutcome, sendCall } from './send-call.ts';
import type { TimelockOperation } from './timelock.ts';

/** Lets `incoming` settle and stops `outgoing` in one operation, to be proposed and executed by the council. */
export function rotateRelayerOperation(
  processor: Address,
  change: { readonly incoming: Address; readonly outgoing: Address },
): TimelockOperation {
  return {
    label: `relayer ${change.incoming} instead of ${change.outgoing}`,
    calls: [grantCall(processor, 'relayer', change.incoming), revokeCall(processor, 'relayer', change.outgoing)],
  };
}

/** For a key that was lost: the council takes its role away. */
export function revokeRelayerOperation(processor: Address, relayer: Address): TimelockOperation {
  return { label: `revoke relayer ${relayer}`, calls: [revokeCall(processor, 'relayer', relayer)] };
}

/** `chain` is the relayer's own account; its role ends with this transaction. */
export async function retireRelayer(chain: ChainAccount, processor: Address): Promise<CallOutcome> {
  const data = encodeFunctionData({
    abi: paymentProcessorAbi,
    functionName: 'renounceRole',
    args: [ROLES.relayer, chain.account.address],
  });
  return sendCall(chain, { to: processor, data });
}
