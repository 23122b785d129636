// Roles of the processor by the names that people use.
import { type Address, encodeFunctionData, type Hex, keccak256, stringToHex, zeroHash } from 'viem';
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

export async function roleMembers(chain: ChainAccount, processor: Address, role: RoleName): Promise<Address[]> {
  const members = await chain.readContract({
    abi: paymentProcessorAbi,
    address: processor,
    functionName: 'getRoleMembers',
    args: [ROLES[role]],
  });
  return [...members];
}
