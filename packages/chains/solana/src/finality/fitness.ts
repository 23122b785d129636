import type { ReadFitness } from '@svc-pay/core';
import type { OpenSolana } from '../rpc/open-networks.ts';
import { readFloats } from './relayer-balance.ts';

/** Solana has no contract that could be paused or refuse a relayer. */
export function solanaFitness({ nodes }: OpenSolana, lowTransactions: bigint): ReadFitness {
  return async (relayers) => {
    const floats = await readFloats(nodes, relayers, lowTransactions);
    const told = floats.map(({ relayer, lamports, condition }) => ({ relayer, balanceWei: lamports, condition }));
    return { paused: false, caps: [], relayers: told.map((relayer) => ({ ...relayer, capped: false })) };
  };
}
