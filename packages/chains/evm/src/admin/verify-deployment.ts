// Compares a chain with the plan and the commit. The record only says where to look; nothing else in it is trusted.
import { type Address, isAddressEqual } from 'viem';
import { adminTimelockAbi } from '../generated/admin-timelock-abi.ts';
import { paymentProcessorAbi } from '../generated/payment-processor-abi.ts';
import { create2Address } from './create2.ts';
import type { DeploymentRecord } from './deployment-record.ts';
import { processorInitCode, timelockInitCode } from './init-code.ts';
import type { AdminClient } from './open-chain.ts';
import type { DeploymentPlan } from './plan.ts';
import { roleMembers, timelockMembers } from './roles.ts';

/** Describes every difference, one sentence each; empty when the chain is as planned. */
export async function deploymentProblems(
  chain: AdminClient,
  record: DeploymentRecord,
  plan: DeploymentPlan,
): Promise<string[]> {
  const code = await codeProblems(chain, record, plan);
  if (code.length > 0) return code;
  return [
    ...(await roleProblems(chain, record, plan)),
    ...(await tokenProblems(chain, record, plan)),
    ...(await stateProblems(chain, record, plan)),
  ];
}

/** A CREATE2 address commits to the creation code, so code at the right address is this commit's code. */
async function codeProblems(chain: AdminClient, record: DeploymentRecord, plan: DeploymentPlan): Promise<string[]> {
  const problems: string[] = [];
  if (record.chainId !== chain.chain.id) problems.push(`the record is of chain ${record.chainId}`);
  const timelock = create2Address(record.salt, timelockInitCode(plan.council));
  const processor = create2Address(record.salt, processorInitCode(timelock, plan.feeRecipient));
  for (const [name, expected, recorded] of [
    ['timelock', timelock, record.timelock],
    ['processor', processor, record.processor],
  ] as const) {
    if (!isAddressEqual(expected, recorded)) {
      problems.push(`${name}: this commit and plan deploy to ${expected}, the record says ${recorded}`);
    } else if ((await chain.getCode({ address: recorded })) === undefined) {
      problems.push(`${name}: no code at ${recorded}`);
    }
  }
  return problems;
}

async function roleProblems(chain: AdminClient, record: DeploymentRecord, plan: DeploymentPlan): Promise<string[]> {
  const { processor, timelock } = record;
  const roles: [string, readonly Address[], Promise<Address[]>][] = [
    ['admin', [timelock], roleMembers(chain, processor, 'admin')],
    ['relayer', plan.relayers, roleMembers(chain, processor, 'relayer')],
    ['registrar', [plan.registrar], roleMembers(chain, processor, 'registrar')],
    ['guardian', [plan.guardian], roleMembers(chain, processor, 'guardian')],
    ['recovery', [plan.recovery], roleMembers(chain, processor, 'recovery')],
    ['timelock proposer', plan.council, timelockMembers(chain, timelock, 'proposer')],
    ['timelock executor', plan.council, timelockMembers(chain, timelock, 'executor')],
    ['timelock canceller', plan.council, timelockMembers(chain, timelock, 'canceller')],
    ['timelock admin', [timelock], timelockMembers(chain, timelock, 'admin')],
  ];
  const lacks = (list: readonly Address[], address: Address) => !list.some((other) => isAddressEqual(other, address));
  const problems: string[] = [];
  for (const [role, wanted, members] of roles) {
    const actual = await members;
    for (const address of wanted) if (lacks(actual, address)) problems.push(`${role}: ${address} lacks the role`);
    for (const address of actual) if (lacks(wanted, address)) problems.push(`${role}: ${address} is not in the plan`);
  }
  return problems;
}

async function tokenProblems(chain: AdminClient, record: DeploymentRecord, plan: DeploymentPlan): Promise<string[]> {
  const problems: string[] = [];
  for (const token of plan.tokens) {
    const config = await chain.readContract({
      abi: paymentProcessorAbi,
      address: record.processor,
      functionName: 'tokenConfig',
      args: [token.address],
    });
    const asPlanned =
      config.enabled &&
      config.callGas === token.callGas &&
      config.operatorHourlyCap === token.operatorHourlyCapAtomic &&
      config.recoveryHourlyCap === token.recoveryHourlyCapAtomic;
    if (!asPlanned) problems.push(`token ${token.address}: its configuration is not the planned one`);
  }
  return problems;
}

async function stateProblems(chain: AdminClient, record: DeploymentRecord, plan: DeploymentPlan): Promise<string[]> {
  const problems: string[] = [];
  const processor = { abi: paymentProcessorAbi, address: record.processor } as const;
  const feeRecipient = await chain.readContract({ ...processor, functionName: 'feeRecipient' });
  if (!isAddressEqual(feeRecipient, plan.feeRecipient)) problems.push(`fees go to ${feeRecipient}`);
  if (await chain.readContract({ ...processor, functionName: 'paused' })) problems.push('the processor is paused');
  const delay = await chain.readContract({
    abi: adminTimelockAbi,
    address: record.timelock,
    functionName: 'getMinDelay',
  });
  if (delay !== BigInt(plan.adminDelaySeconds)) problems.push(`the timelock waits ${delay} s`);
  return problems;
}
