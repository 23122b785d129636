// Starts a complete local chain: Anvil, the mock tokens at their catalogue addresses, this commit's `DirectBatch`, and its
// processor after the ceremony. Contracts that a kept chain already has are left as they are.
import { createTestClient, type Hex, http, parseEther, publicActions } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount } from 'viem/accounts';
import { performCeremony } from '../admin/ceremony.ts';
import { deployDirectBatch } from '../admin/deploy-direct-batch.ts';
import { deployProcessor } from '../admin/deploy-processor.ts';
import type { DeploymentRecord } from '../admin/deployment-record.ts';
import { openChain } from '../admin/open-chain.ts';
import type { DeploymentPlan } from '../admin/plan.ts';
import { deploymentProblems } from '../admin/verify-deployment.ts';
import { type AnvilActions, anvilActions } from './anvil-actions.ts';
import { mockTokensOn, placeMockTokens } from './mock-tokens.ts';
import { type RoleKeys, roleKeys } from './role-keys.ts';
import { type AnvilOptions, type AnvilProcess, runAnvil } from './run-anvil.ts';

export type ChainOptions = Omit<AnvilOptions, 'gasLimit'> & {
  /** 32 bytes from which all keys are derived; random if absent. A kept chain needs the seed it was made with. */
  readonly seed?: Hex;
  /** Default 1. */
  readonly relayers?: number;
};

export type LocalChain = AnvilActions &
  AnvilProcess & {
    readonly chainId: number;
    /** `eip155:31337` unless a chain id was given. */
    readonly network: string;
    readonly record: DeploymentRecord;
    readonly plan: DeploymentPlan;
    readonly keys: RoleKeys;
    /** False when the processor exists from an earlier run. */
    readonly newlyDeployed: boolean;
  };

const POLL_MS = 10;
const SETUP_BLOCK_SECONDS = 0.05;
const GAS_LIMIT = 1_000_000_000;
const CALL_GAS = 200_000;

export async function startChain(options: ChainOptions = {}): Promise<LocalChain> {
  const { seed = generatePrivateKey(), relayers = 1, blockTimeSeconds, slotsInAnEpoch = 1, ...others } = options;
  // Set-up does not wait for slow blocks. Anvil takes a fractional block time only at start, a whole one also later.
  const settableLater = blockTimeSeconds === undefined || Number.isInteger(blockTimeSeconds);
  const anvil = await runAnvil({
    ...others,
    blockTimeSeconds: settableLater ? SETUP_BLOCK_SECONDS : blockTimeSeconds,
    slotsInAnEpoch,
    gasLimit: GAS_LIMIT,
  });
  try {
    const keys = roleKeys(seed, relayers);
    const tokens = mockTokensOn(options.chainId);
    const node = createTestClient({ mode: 'anvil', transport: http(anvil.rpcUrl) }).extend(publicActions);
    const accounts = [keys.deployer, keys.council, keys.registrar, keys.guardian, keys.recovery, keys.faucet];
    await Promise.all([
      node.setLoggingEnabled(false),
      placeMockTokens(node, tokens),
      ...[...accounts, ...keys.relayers].map(({ account }) =>
        node.setBalance({ address: account.address, value: parseEther('10000') }),
      ),
    ]);
    const open = (account: PrivateKeyAccount) =>
      openChain({ rpcUrl: anvil.rpcUrl, account, pollingIntervalMs: POLL_MS });
    const plan = planFor(keys, tokens);
    const deployer = await open(keys.deployer.account);
    const deployed = await deployProcessor(deployer, plan);
    if (!deployed.ok) throw new Error(deployed.problems.join('; '));
    const batch = await deployDirectBatch(deployer);
    if (!batch.ok) throw new Error(batch.reason);
    const { record } = deployed;
    const newlyDeployed = record.transactionHash !== null;
    const council = await open(keys.council.account);
    if (newlyDeployed) {
      const ceremony = await performCeremony(council, record, plan);
      if (!ceremony.ok) throw new Error(ceremony.reason);
    } else {
      const problems = await deploymentProblems(council, record, plan);
      if (problems.length > 0) throw new Error(`the kept chain is not as planned: ${problems.join('; ')}`);
    }
    if (blockTimeSeconds === undefined) await node.setAutomine(true);
    else if (settableLater) await node.setIntervalMining({ interval: blockTimeSeconds });
    const actions = await anvilActions({ rpcUrl: anvil.rpcUrl, processor: record.processor, keys, tokens });
    const { chainId, network } = record;
    return { ...anvil, ...actions, chainId, network, record, plan, keys, newlyDeployed };
  } catch (problem) {
    await anvil.stop('SIGKILL');
    throw problem;
  }
}

function planFor(
  { council, registrar, guardian, recovery, feeRecipient, relayers }: RoleKeys,
  { usdc, vol, plain }: ReturnType<typeof mockTokensOn>,
): DeploymentPlan {
  return {
    label: 'local',
    council: [council.account.address],
    adminDelaySeconds: 0,
    feeRecipient: feeRecipient.account.address,
    registrar: registrar.account.address,
    guardian: guardian.account.address,
    recovery: recovery.account.address,
    relayers: relayers.map(({ account }) => account.address),
    tokens: [
      { address: usdc.address, unitAtomic: 1_000_000n },
      { address: vol.address, unitAtomic: 10n ** 18n },
      { address: plain.address, unitAtomic: 1_000_000n },
    ].map(({ address, unitAtomic }) => ({
      address,
      callGas: CALL_GAS,
      operatorHourlyCapAtomic: 1_000_000_000n * unitAtomic,
      recoveryHourlyCapAtomic: 1_000_000n * unitAtomic,
    })),
  };
}
