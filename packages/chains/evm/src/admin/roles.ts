// Roles of the processor by the names used in plans and documentation.
import { type Address, encodeFunctionData, type Hex, keccak256, stringToHex, zeroHash } from 'viem';
import { adminTimelockAbi } from '../generated/admin-timelock-abi.ts';
import { paymentProcessorAbi } from '../generated/payment-processor-abi.ts';
import type { AdminClient } from './open-chain.ts';
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

/** Roles of the timelock. Its members are the council; the timelock is its own admin. */
const TIMELOCK_ROLES = {
  proposer: keccak256(stringToHex('PROPOSER_ROLE')),
  executor: keccak256(stringToHex('EXECUTOR_ROLE')),
  canceller: keccak256(stringToHex('CANCELLER_ROLE')),
  admin: zeroHash,
} as const satisfies Record<string, Hex>;

export async function timelockMembers(
  chain: AdminClient,
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

export async function roleMembers(chain: AdminClient, processor: Address, role: RoleName): Promise<Address[]> {
  const members = await chain.readContract({
    abi: paymentProcessorAbi,
    address: processor,
    functionName: 'getRoleMembers',
    args: [ROLES[role]],
  });
  return [...members];
}
