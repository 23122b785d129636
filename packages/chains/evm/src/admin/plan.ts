// The operator's decisions before a deployment: who holds which key, which tokens are accepted, under which limits.
import { type Address, getAddress, isAddress, zeroAddress } from 'viem';

export type TokenPlan = {
  readonly address: Address;
  /** Most gas that one transfer of this token may burn inside a batch; 200,000 suits USDC. */
  readonly callGas: number;
  readonly operatorHourlyCapAtomic: bigint;
  readonly recoveryHourlyCapAtomic: bigint;
};

export type DeploymentPlan = {
  /** Part of the address: another label gives another processor with the same keys. */
  readonly label: string;
  /** Accounts that may propose and execute what the admin timelock does. */
  readonly council: readonly Address[];
  /** Delay of the timelock after the ceremony, for everybody. */
  readonly adminDelaySeconds: number;
  readonly feeRecipient: Address;
  readonly registrar: Address;
  readonly guardian: Address;
  readonly recovery: Address;
  readonly relayers: readonly Address[];
  readonly tokens: readonly TokenPlan[];
};

/** Describes every problem, one sentence each; empty when the plan can be carried out. */
export function planProblems(plan: DeploymentPlan): string[] {
  const problems: string[] = [];
  const keys: [string, Address][] = [
    ...plan.council.map((address): [string, Address] => ['council', address]),
    ['registrar', plan.registrar],
    ['guardian', plan.guardian],
    ['recovery', plan.recovery],
    ...plan.relayers.map((address): [string, Address] => ['relayer', address]),
  ];
  const holders = new Map<string, string>();
  for (const [role, address] of keys) {
    if (!isUsable(address)) {
      problems.push(`${role}: ${address} is no usable address`);
      continue;
    }
    const other = holders.get(getAddress(address));
    // Each role needs its own key, so that one stolen key gives one role only.
    if (other !== undefined) problems.push(`${address} is both ${other} and ${role}`);
    holders.set(getAddress(address), role);
  }
  if (plan.council.length === 0) problems.push('council: at least one account is needed');
  if (plan.relayers.length === 0) problems.push('relayers: at least one account is needed');
  if (!isUsable(plan.feeRecipient)) problems.push(`feeRecipient: ${plan.feeRecipient} is no usable address`);
  if (!Number.isSafeInteger(plan.adminDelaySeconds) || plan.adminDelaySeconds < 0) {
    problems.push('adminDelaySeconds: a whole number of seconds is needed');
  }
  for (const token of plan.tokens) {
    if (!isUsable(token.address)) problems.push(`tokens: ${token.address} is no usable address`);
    if (token.callGas < 60_000 || token.callGas > 1_000_000) {
      problems.push(`tokens: callGas of ${token.address} must lie between 60000 and 1000000`);
    }
  }
  return problems;
}

function isUsable(address: string): boolean {
  return isAddress(address) && getAddress(address) !== zeroAddress;
}
