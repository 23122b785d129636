// Reads from the chain whether the relayers of a network can send.
import { type Clock, DeploymentDiffers, type ReadFitness, TOKENS, type WatchLog } from '@svc-pay/core';
import { createDeploymentTerms } from '../send/deployment-terms.ts';
import type { OpenNetwork } from '../send/open-networks.ts';
import { readFitness } from '../send/read-relayer-fitness.ts';

export function evmFitness(
  open: OpenNetwork,
  /** A relayer whose balance pays for fewer full transactions than this is reported. */
  lowTransactions: bigint,
  looked: { readonly clock: Clock; readonly log: WatchLog },
): ReadFitness {
  const { network, processor, rpc, feeBounds } = open;
  const deployment = createDeploymentTerms(open, looked);
  const tokens = TOKENS.filter((token) => token.network === network).map(({ address }) => address);
  return async (relayers) => {
    await deployment.refresh();
    const difference = deployment.difference();
    // With the wrong processor at the address, no other answer from that address means anything.
    if (difference === 'processor_differs') throw new DeploymentDiffers(difference);
    const question = { processor, relayers, tokens, lowTransactions, bounds: feeBounds };
    return { ...(await readFitness(rpc, question)), difference, caps: deployment.caps() };
  };
}
