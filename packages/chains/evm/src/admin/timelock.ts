// Admin calls go through the timelock: proposed now, executed when the delay has passed. Each call is also available as
// data, because a council is usually a multisig that signs elsewhere.
import { encodeFunctionData, type Hex, keccak256, stringToHex, zeroHash } from 'viem';
import { adminTimelockAbi } from '../generated/admin-timelock-abi.ts';
import type { DeploymentRecord } from './deployment-record.ts';
import type { AdminClient } from './open-chain.ts';
import { type Call, type CallOutcome, sendCall } from './send-call.ts';

export type TimelockOperation = {
  /** Distinguishes operations with equal calls; `execute` needs the same label to find the operation again. */
  readonly label: string;
  readonly calls: readonly Call[];
};

export type ProposeOutcome =
  | { readonly ok: true; readonly transactionHash: Hex; readonly readyInSeconds: bigint }
  | { readonly ok: false; readonly code: 'reverted'; readonly reason: string };

export function proposal(record: DeploymentRecord, operation: TimelockOperation, delaySeconds: bigint): Call {
  const data = encodeFunctionData({
    abi: adminTimelockAbi,
    functionName: 'scheduleBatch',
    args: [...batchArguments(operation), delaySeconds],
  });
  return { to: record.timelock, data };
}

export function execution(record: DeploymentRecord, operation: TimelockOperation): Call {
  const data = encodeFunctionData({
    abi: adminTimelockAbi,
    functionName: 'executeBatch',
    args: batchArguments(operation),
  });
  return { to: record.timelock, data };
}

export async function propose(
  chain: AdminClient,
  record: DeploymentRecord,
  operation: TimelockOperation,
): Promise<ProposeOutcome> {
  const readyInSeconds = await chain.readContract({
    abi: adminTimelockAbi,
    address: record.timelock,
    functionName: 'getMinDelay',
  });
  const sent = await sendCall(chain, proposal(record, operation, readyInSeconds));
  if (!sent.ok) return { ok: false, code: sent.code, reason: sent.reason };
  return { ok: true, transactionHash: sent.transactionHash, readyInSeconds };
}

/** Reverts with `TimelockUnexpectedOperationState` while the delay runs, and after the operation was executed. */
export async function execute(
  chain: AdminClient,
  record: DeploymentRecord,
  operation: TimelockOperation,
): Promise<CallOutcome> {
  return sendCall(chain, execution(record, operation));
}

function batchArguments(operation: TimelockOperation): readonly [Call['to'][], bigint[], Hex[], Hex, Hex] {
  return [
    operation.calls.map((call) => call.to),
    operation.calls.map(() => 0n),
    operation.calls.map((call) => call.data),
    zeroHash,
    keccak256(stringToHex(operation.label)),
  ];
}
