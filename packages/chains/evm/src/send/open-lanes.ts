// Opens a lane for every EVM relayer on every EVM network, and one per network for the recovery key.
import {
  type Clock,
  type LanePace,
  laneKey,
  type RegisterRelayer,
  type RelayerDuty,
  type SequencedLaneDeps,
} from '@svc-pay/core';
import type { CheckActivation } from '../payout/check-activation.ts';
import type { Signers } from '../signer/open-signers.ts';
import { createLaneChain } from './create-lane-chain.ts';
import { createDeploymentTerms } from './deployment-terms.ts';
import type { OpenNetwork } from './open-networks.ts';

export type EvmLanes = {
  readonly networks: readonly OpenNetwork[];
  readonly signers: Signers;
  readonly pace: LanePace;
  readonly clock: Clock;
  readonly registerRelayer: RegisterRelayer;
  /** Checks the signatures that activate a direct payout. */
  readonly checkActivation: CheckActivation;
  /** Dependencies of a lane with that duty, except its chain. */
  readonly depsOf: (lane: string, duty: RelayerDuty) => Pick<SequencedLaneDeps, 'store' | 'log'>;
};

export async function openEvmLanes(given: EvmLanes): Promise<ReadonlyMap<string, SequencedLaneDeps>> {
  const { networks, signers, pace, clock, registerRelayer, checkActivation, depsOf } = given;
  const { recovery } = signers;
  const workers = [
    ...signers.relayers.map((signer) => ({ signer, duty: 'settle' }) as const),
    ...(recovery === undefined ? [] : [{ signer: recovery, duty: 'resolve_stranded' } as const]),
  ];
  const lanes = new Map<string, SequencedLaneDeps>();
  for (const open of networks) {
    const { network, mode, rpc, endpoints, voters, feeBounds, blockSeconds } = open;
    const terms = createDeploymentTerms(open, { clock });
    for (const { signer, duty } of workers) {
      const lane = { network, relayer: signer.address };
      const chain = createLaneChain({
        network,
        rpc,
        endpoints,
        voters,
        signer,
        maxFeeWei: feeBounds.maxFeeWei,
        callGasOf: terms.callGasOf,
        checkActivation,
        ...(blockSeconds !== undefined && { blockSeconds }),
      });
      await registerRelayer({ ...lane, mode, duty }, chain.minedNonce);
      const simulate: typeof chain.simulate = async (items) => {
        await terms.refresh();
        return chain.simulate(items);
      };
      const key = laneKey(lane);
      lanes.set(key, { ...depsOf(key, duty), chain: { ...chain, simulate }, clock, pace });
    }
  }
  return lanes;
}
