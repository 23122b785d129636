// The key ceremony: one timelock operation that grants every role, lists the tokens and, as its last step, sets the
// timelock's delay. Before the ceremony nobody can move money; after it the council itself has to wait for the delay.
import { type Address, encodeFunctionData } from 'viem';
import { adminTimelockAbi } from '../generated/admin-timelock-abi.ts';
import { paymentProcessorAbi } from '../generated/payment-processor-abi.ts';
import type { DeploymentRecord } from './deployment-record.ts';
import type { AdminClient } from './open-chain.ts';
import { type DeploymentPlan, planProblems, type TokenPlan } from './plan.ts';
import { grantCall } from './roles.ts';
import type { Call, CallOutcome } from './send-call.ts';
import { execute, execution, proposal, propose, type TimelockOperation } from './timelock.ts';

export type CeremonyOutcome =
  | CallOutcome
  | { readonly ok: false; readonly code: 'plan_invalid'; readonly reason: string };

export function ceremonyOperation(record: DeploymentRecord, plan: DeploymentPlan): TimelockOperation {
  const { processor } = record;
  return {
    label: `ceremony of ${processor}`,
    calls: [
      grantCall(processor, 'registrar', plan.registrar),
      grantCall(processor, 'guardian', plan.guardian),
      grantCall(processor, 'recovery', plan.recovery),
      ...plan.relayers.map((relayer) => grantCall(processor, 'relayer', relayer)),
      ...plan.tokens.map((token) => tokenCall(processor, token)),
      delayCall(record.timelock, plan.adminDelaySeconds),
    ],
  };
}

/** The two calls that a council signs with its own tools, in order. */
export function ceremonyCalls(record: DeploymentRecord, plan: DeploymentPlan): { propose: Call; execute: Call } {
  const operation = ceremonyOperation(record, plan);
  return { propose: proposal(record, operation, 0n), execute: execution(record, operation) };
}

/** For a council whose key is at hand: proposes and immediately executes. */
export async function performCeremony(
  chain: AdminClient,
  record: DeploymentRecord,
  plan: DeploymentPlan,
): Promise<CeremonyOutcome> {
  const problems = planProblems(plan);
  if (problems.length > 0) return { ok: false, code: 'plan_invalid', reason: problems.join('; ') };
  const operation = ceremonyOperation(record, plan);
  const proposed = await propose(chain, record, operation);
  if (!proposed.ok) return { ...proposed, transactionHash: null };
  return execute(chain, record, operation);
}

export function tokenCall(processor: Address, token: TokenPlan, enabled = true): Call {
  const config = {
    enabled,
    callGas: token.callGas,
    operatorHourlyCap: token.operatorHourlyCapAtomic,
    recoveryHourlyCap: token.recoveryHourlyCapAtomic,
  };
  const data = encodeFunctionData({
    abi: paymentProcessorAbi,
    functionName: 'configureToken',
    args: [token.address, config],
  });
  return { to: processor, data };
}

function delayCall(timelock: Address, adminDelaySeconds: number): Call {
  const data = encodeFunctionData({
    abi: adminTimelockAbi,
    functionName: 'updateDelay',
    args: [BigInt(adminDelaySeconds)],
  });
  return { to: timelock, data };
}
