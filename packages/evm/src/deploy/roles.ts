// Roles of the processor by the names that people use.
import { type Address, encodeFunctionData, type Hex, keccak256, stringToHex, zeroHash } from 'viem';
import { adminTimelockAbi } from '../generated/admin-timelock-abi.ts';
import { paymentProcessorAbi } from '../generated/payment-processor-abi.ts';
import type { ChainAccount } from './open-chain.ts';
import type { Call } from './send-call.ts';

export const ROLES = {
  admin: zeroHash,
  relayer: keccak256(stringToHex('OPERATOR_ROLE')),
  registrar: keccak256(stringToHex('REGISTRAR_ROLE')),
  guardian: keccak256(stringToHex('GUARDIAN_ROLE')),
  recovery: keccak256(stringToHex('RECOVERY_ROLE')),
} as const satisfies Record<string, Hex>;

export type RoleName = keyof typeof ROLES;

export function grantCall(processor: Address, role: RoleName, account: Address): Call {
  const data = encodeFunctionData({
    abi: paymentProcessorAbi,
    functionName: 'grantRole',
    args: [ROLES[role], account],
  });
  return { to: processor, data };
}

export function revokeCall(processor: Address, role: RoleName, account: Address): Call {
  const data = encodeFunctionData({
    abi: paymentProcessorAbi,
    functionName: 'revokeRole',
    args: [ROLES[role], account],
  });
  return { to: processor, data };
}

/** Roles of the timelock; its members are the council, and it administers itself. */
const TIMELOCK_ROLES = {
  proposer: keccak256(stringToHex('PROPOSER_ROLE')),
  executor: keccak256(stringToHex('EXECUTOR_ROLE')),
  canceller: keccak256(stringToHex('CANCELLER_ROLE')),
  admin: zeroHash,
} as const satisfies Record<string, Hex>;

export async function timelockMembers(
  chain: ChainAccount,
  timelock: Address,
  role: keyof typeof TIMELOCK_ROLES,
): Promise<Address[]> {
  const members = await chain.readContract({
    abi: adminTimelockAbi,
    address: timelock,
    functionName: 'getRoleMembers',
    args: [TIMELOCK_ROLES[role]],
  });
  return [...members];
}

export async function roleMembers(chain: ChainAccount, processor: Address, role: RoleName): Promise<Address[]> {
  const members = await chain.readContract({
    abi: paymentProcessorAbi,
    address: processor,
    functionName: 'getRoleMembers',
    args: [ROLES[role]],
  });
  return [...members];
}
