// A relayer is added through the timelock and removed without delay: every key can renounce its own role. That works
// for a stolen key too, because the operator still holds the key and only the council can grant the role again.
import { type Address, encodeFunctionData } from 'viem';
import { paymentProcessorAbi } from '../generated/payment-processor-abi.ts';
import type { AdminClient } from './open-chain.ts';
import { grantCall, ROLES, revokeCall } from './roles.ts';
import { type CallOutcome, sendCall } from './send-call.ts';
import type { TimelockOperation } from './timelock.ts';

/** Grants the role to `incoming` and revokes it from `outgoing` in one operation of the council. */
export function rotateRelayerOperation(
  processor: Address,
  change: { readonly incoming: Address; readonly outgoing: Address },
): TimelockOperation {
  return {
    label: `relayer ${change.incoming} instead of ${change.outgoing}`,
    calls: [grantCall(processor, 'relayer', change.incoming), revokeCall(processor, 'relayer', change.outgoing)],
  };
}

/** For a lost key: the council revokes its role. */
export function revokeRelayerOperation(processor: Address, relayer: Address): TimelockOperation {
  return { label: `revoke relayer ${relayer}`, calls: [revokeCall(processor, 'relayer', relayer)] };
}

/** `chain` is the relayer's own account; its role ends with this transaction. */
export async function retireRelayer(chain: AdminClient, processor: Address): Promise<CallOutcome> {
  const data = encodeFunctionData({
    abi: paymentProcessorAbi,
    functionName: 'renounceRole',
    args: [ROLES.relayer, chain.account.address],
  });
  return sendCall(chain, { to: processor, data });
}
