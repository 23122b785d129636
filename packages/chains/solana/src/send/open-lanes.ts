// Opens a lane for every Solana relayer on every Solana network.
import { type ExpiringLaneDeps, type LanePace, laneKey, type RegisterRelayer } from '@svc-pay/core';
import type { OpenSolana } from '../rpc/open-networks.ts';
import type { RelayerSigner } from '../signer/relayer-signer.ts';
import { createLaneChain } from './create-lane-chain.ts';

export type SolanaLanes = {
  readonly registerRelayer: RegisterRelayer;
  readonly networks: readonly OpenSolana[];
  readonly relayers: readonly RelayerSigner[];
  /** Pace of the other lanes; some values differ: two blocks per second, transactions valid for a minute. */
  readonly pace: LanePace;
  readonly depsOf: (lane: string) => Pick<ExpiringLaneDeps, 'store' | 'clock' | 'log'>;
};

/** The next slots have another leader: a transaction that the last one did not take is sent again soon. */
const RESEND_MS = 1_500;
const DEFER_MS = 1_000;
/** Half a slot: polling more often finds nothing new. */
const POLL_MS = 200;
/** As many as one call for statuses takes. */
const MAX_IN_FLIGHT = 256;
/** Nonces only count the transactions of a lane. */
const FIRST_NONCE = 0n;

export async function openSolanaLanes(given: SolanaLanes): Promise<ReadonlyMap<string, ExpiringLaneDeps>> {
  const { registerRelayer, networks, relayers, pace, depsOf } = given;
  const own: LanePace = {
    ...pace,
    maxInFlight: MAX_IN_FLIGHT,
    pollMs: Math.max(pace.pollMs, POLL_MS),
    resendMs: RESEND_MS,
    deferMs: DEFER_MS,
  };
  const lanes = new Map<string, ExpiringLaneDeps>();
  for (const { network, mode, nodes } of networks) {
    for (const signer of relayers) {
      const chain = createLaneChain({ nodes, signer });
      const lane = { network, relayer: signer.address };
      const deps = depsOf(laneKey(lane));
      await registerRelayer({ ...lane, mode, duty: 'settle' }, async () => FIRST_NONCE);
      lanes.set(laneKey(lane), { ...deps, chain, pace: own });
    }
  }
  return lanes;
}
