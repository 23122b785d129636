// A chain with an account for every role, and the plan with these accounts.
import { type Address, encodeDeployData, type Hex } from 'viem';
import { performCeremony } from '../admin/ceremony.ts';
import { deployDirectBatch } from '../admin/deploy-direct-batch.ts';
import { deployProcessor } from '../admin/deploy-processor.ts';
import type { DeploymentRecord } from '../admin/deployment-record.ts';
import type { AdminClient } from '../admin/open-chain.ts';
import type { DeploymentPlan } from '../admin/plan.ts';
import { mockUsdcAbi } from '../generated/mock-usdc-abi.ts';
import { mockUsdcBytecode } from '../generated/mock-usdc-bytecode.ts';
import type { Anvil } from './start-anvil.ts';

const ROLE_HOLDERS = ['deployer', 'council', 'registrar', 'guardian', 'recovery', 'relayer', 'stranger'] as const;

export type PlannedWorld = Record<(typeof ROLE_HOLDERS)[number], AdminClient> & {
  /** The relayer's private key, for tests that sign without a client. */
  readonly relayerKey: Hex;
  readonly token: Address;
  readonly plan: DeploymentPlan;
};

export const TWO_DAYS_SECONDS = 172_800;

export async function planWorld(anvil: Anvil): Promise<PlannedWorld> {
  const accounts = await Promise.all(ROLE_HOLDERS.map(async (role) => [role, await anvil.newAccount()] as const));
  const { privateKey: relayerKey, chain: relayer } = await anvil.newKey();
  const holders = {
    ...(Object.fromEntries(accounts) as Record<(typeof ROLE_HOLDERS)[number], AdminClient>),
    relayer,
  };
  const token = await deployMockUsdc(holders.deployer);
  return {
    ...holders,
    relayerKey,
    token,
    plan: {
      label: 'test',
      council: [holders.council.account.address],
      adminDelaySeconds: TWO_DAYS_SECONDS,
      feeRecipient: holders.deployer.account.address,
      registrar: holders.registrar.account.address,
      guardian: holders.guardian.account.address,
      recovery: holders.recovery.account.address,
      relayers: [holders.relayer.account.address],
      tokens: [
        {
          address: token,
          callGas: 200_000,
          operatorHourlyCapAtomic: 1_000_000_000_000n,
          recoveryHourlyCapAtomic: 1_000_000_000n,
        },
      ],
    },
  };
}

/** A chain with `DirectBatch`, and the processor after its ceremony. */
export async function deployedWorld(anvil: Anvil): Promise<PlannedWorld & { readonly record: DeploymentRecord }> {
  const world = await planWorld(anvil);
  const deployed = await deployProcessor(world.deployer, world.plan);
  if (!deployed.ok) throw new Error(deployed.problems.join('; '));
  const batch = await deployDirectBatch(world.deployer);
  if (!batch.ok) throw new Error(batch.reason);
  const ceremony = await performCeremony(world.council, deployed.record, world.plan);
  if (!ceremony.ok) throw new Error(ceremony.reason);
  return { ...world, record: deployed.record };
}

async function deployMockUsdc(chain: AdminClient): Promise<Address> {
  const data = encodeDeployData({ abi: mockUsdcAbi, bytecode: mockUsdcBytecode, args: [6] });
  const hash = await chain.sendTransaction({ data });
  const { contractAddress } = await chain.waitForTransactionReceipt({ hash });
  if (typeof contractAddress !== 'string') throw new Error('the mock token was not deployed');
  return contractAddress;
}
