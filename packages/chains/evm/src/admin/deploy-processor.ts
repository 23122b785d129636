// Deploys timelock and processor at addresses that follow from the plan and the commit. Safe to repeat: existing
// contracts are left as they are. The ceremony adds roles and tokens.
import { paymentProcessorAbi } from '../generated/payment-processor-abi.ts';
import { deployThroughFactory, saltOf } from './create2.ts';
import type { DeploymentRecord } from './deployment-record.ts';
import { processorInitCode, timelockInitCode } from './init-code.ts';
import type { AdminClient } from './open-chain.ts';
import { type DeploymentPlan, planProblems } from './plan.ts';

export type DeployOutcome =
  | { readonly ok: true; readonly record: DeploymentRecord }
  | {
      readonly ok: false;
      readonly code: 'plan_invalid' | 'factory_missing' | 'deployment_failed';
      readonly problems: readonly string[];
    };

export async function deployProcessor(chain: AdminClient, plan: DeploymentPlan): Promise<DeployOutcome> {
  const problems = planProblems(plan);
  if (problems.length > 0) return { ok: false, code: 'plan_invalid', problems };
  const salt = saltOf(plan.label);
  const timelock = await deployThroughFactory(chain, salt, timelockInitCode(plan.council));
  if (!timelock.ok) return { ok: false, code: timelock.code, problems: [timelock.reason] };
  const initCode = processorInitCode(timelock.address, plan.feeRecipient);
  const processor = await deployThroughFactory(chain, salt, initCode);
  if (!processor.ok) return { ok: false, code: processor.code, problems: [processor.reason] };
  const processorVersion = await chain.readContract({
    abi: paymentProcessorAbi,
    address: processor.address,
    functionName: 'version',
  });
  return {
    ok: true,
    record: {
      schema: 1,
      network: `eip155:${chain.chain.id}`,
      chainId: chain.chain.id,
      processor: processor.address,
      processorVersion,
      timelock: timelock.address,
      salt,
      council: plan.council,
      feeRecipient: plan.feeRecipient,
      // A processor that was found, not deployed, has an unknown first block: a mirror starts at block 0.
      fromBlock: processor.transactionHash === null ? '0' : processor.blockNumber.toString(),
      transactionHash: processor.transactionHash,
    },
  };
}
