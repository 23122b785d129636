// Puts timelock and processor on a chain, at addresses that follow from the plan and the commit. Safe to repeat:
// what is there already is left alone. Roles and tokens come with the ceremony.
import { paymentProcessorAbi } from '../generated/payment-processor-abi.ts';
import { deployThroughFactory, saltOf } from './create2.ts';
import type { DeploymentRecord } from './deployment-record.ts';
import { processorInitCode, timelockInitCode } from './init-code.ts';
import type { ChainAccount } from './open-chain.ts';
import { type DeploymentPlan, planProblems } from './plan.ts';

export type DeployOutcome =
  | { readonly ok: true; readonly record: DeploymentRecord }
  | {
      readonly ok: false;
      readonly code: 'plan_invalid' | 'factory_missing' | 'deployment_failed';
      readonly problems: readonly string[];
    };

export async function deployProcessor(chain: ChainAccount, plan: DeploymentPlan): Promise<DeployOutcome> {
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
      // Found rather than deployed: when it appeared is unknown, so a mirror starts at the beginning.
      fromBlock: processor.transactionHash === null ? '0' : processor.blockNumber.toString(),
      transactionHash: processor.transactionHash,
    },
  };
}
