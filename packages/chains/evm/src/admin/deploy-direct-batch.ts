// Deploys `DirectBatch` at its one address. It has no constructor arguments and no owner, so it needs no plan and no
// record, and whoever deploys it first deploys the same bytes.
import { type Address, getAddress, type Hex } from 'viem';
import { DIRECT_BATCH_ADDRESS, DIRECT_BATCH_LABEL } from '../direct/direct-batch-address.ts';
import { directBatchBytecode } from '../generated/direct-batch-bytecode.ts';
import { create2Address, deployThroughFactory, saltOf } from './create2.ts';
import type { AdminClient } from './open-chain.ts';

export type DeployDirectBatchOutcome =
  | {
      readonly ok: true;
      readonly address: Address;
      /** Null when the contract was there already. */
      readonly transactionHash: Hex | null;
    }
  | { readonly ok: false; readonly code: 'factory_missing' | 'deployment_failed'; readonly reason: string };

export async function deployDirectBatch(chain: AdminClient): Promise<DeployDirectBatchOutcome> {
  const outcome = await deployThroughFactory(chain, saltOf(DIRECT_BATCH_LABEL), directBatchBytecode);
  return outcome.ok
    ? { ok: true, address: getAddress(outcome.address), transactionHash: outcome.transactionHash }
    : outcome;
}

/**
 * Describes what is wrong with the contract on a chain, one sentence each; empty when lanes can use it. A CREATE2 address
 * commits to the creation code, so code at the right address is this commit's code.
 */
export async function directBatchProblems(chain: AdminClient): Promise<string[]> {
  const expected = create2Address(saltOf(DIRECT_BATCH_LABEL), directBatchBytecode);
  if (expected !== DIRECT_BATCH_ADDRESS)
    return [`this commit deploys to ${expected}, lanes call ${DIRECT_BATCH_ADDRESS}`];
  const code = await chain.getCode({ address: DIRECT_BATCH_ADDRESS });
  return code === undefined ? [`no code at ${DIRECT_BATCH_ADDRESS} on ${chain.chain.name}`] : [];
}
