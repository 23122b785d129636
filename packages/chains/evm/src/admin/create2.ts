// Deterministic deployment: the address follows from salt and creation code alone, on every chain that has the CREATE2
// factory (most have; Foundry uses the same one). Anybody who deploys to the address first deploys the same bytes.
import { type Address, concat, getContractAddress, type Hex, keccak256, stringToHex } from 'viem';
import type { AdminClient } from './open-chain.ts';
import { sendCall } from './send-call.ts';

export const CREATE2_FACTORY: Address = '0x4e59b44847b379578588920cA78FbF26c0B4956C';

export const saltOf = (label: string): Hex => keccak256(stringToHex(label));

export function create2Address(salt: Hex, initCode: Hex): Address {
  return getContractAddress({ opcode: 'CREATE2', from: CREATE2_FACTORY, salt, bytecode: initCode });
}

export type Create2Outcome =
  | {
      readonly ok: true;
      readonly address: Address;
      /** Null when the code was there already. */
      readonly transactionHash: Hex | null;
      /** The code appeared at or before this block. */
      readonly blockNumber: bigint;
    }
  | { readonly ok: false; readonly code: 'factory_missing' | 'deployment_failed'; readonly reason: string };

export async function deployThroughFactory(chain: AdminClient, salt: Hex, initCode: Hex): Promise<Create2Outcome> {
  const address = create2Address(salt, initCode);
  if ((await chain.getCode({ address })) !== undefined) {
    return { ok: true, address, transactionHash: null, blockNumber: await chain.getBlockNumber() };
  }
  if ((await chain.getCode({ address: CREATE2_FACTORY })) === undefined) {
    return { ok: false, code: 'factory_missing', reason: `no code at ${CREATE2_FACTORY} on ${chain.chain.name}` };
  }
  const sent = await sendCall(chain, { to: CREATE2_FACTORY, data: concat([salt, initCode]) });
  // The code at the address decides, not our call: another sender may have deployed it first.
  if ((await chain.getCode({ address })) === undefined) {
    return { ok: false, code: 'deployment_failed', reason: sent.ok ? `nothing appeared at ${address}` : sent.reason };
  }
  if (sent.ok) return { ok: true, address, transactionHash: sent.transactionHash, blockNumber: sent.blockNumber };
  return { ok: true, address, transactionHash: null, blockNumber: await chain.getBlockNumber() };
}
