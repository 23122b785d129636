// Whether the relayers of a network can send, as its chain tells it.
import { TOKENS } from '@svc-pay/core';
import { type Fitness, readFitness } from '@svc-pay/evm';
import { readFloats } from '@svc-pay/solana';
import type { OpenNetwork } from '../open-networks.ts';
import type { OpenSolana } from '../solana/open-solana.ts';
import type { WatchParts } from './watch-parts.ts';

/** Throws `ChainUnavailable` when nobody answers. */
export type ReadFitness = (relayers: readonly string[]) => Promise<Fitness>;

export function evmFitness(
  { network, processor, rpc, feeBounds }: OpenNetwork,
  { lowTransactions }: WatchParts['health'],
): ReadFitness {
  const tokens = TOKENS.filter((token) => token.network === network).map(({ address }) => address);
  return (relayers) => readFitness(rpc, { processor, relayers, tokens, lowTransactions, bounds: feeBounds });
}

/** No contract stands between that could be paused, or could not know a relayer. */
export function solanaFitness({ nodes }: OpenSolana, { lowTransactions }: WatchParts['health']): ReadFitness {
  return async (relayers) => {
    const floats = await readFloats(nodes, relayers, lowTransactions);
    const told = floats.map(({ relayer, lamports, condition }) => ({ relayer, balanceWei: lamports, condition }));
    return { paused: false, relayers: told.map((relayer) => ({ ...relayer, capped: false })) };
  };
}
