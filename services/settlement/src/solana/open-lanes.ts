// A lane for every Solana relayer on every Solana network.
import { type LanePace, type LaneParts, laneKey } from '@svc-pay/core';
import { registerRelayer } from '@svc-pay/postgres/lanes';
import { createLaneChain, type RelayerSigner } from '@svc-pay/solana';
import type pg from 'pg';
import type { OpenSolana } from './open-solana.ts';

export type SolanaLanes = {
  readonly pool: pg.Pool;
  readonly networks: readonly OpenSolana[];
  readonly relayers: readonly RelayerSigner[];
  /** Of the other lanes; where blocks come twice a second and a transaction lives for a minute, some of it differs. */
  readonly pace: LanePace;
  readonly partsOf: (lane: string) => Pick<LaneParts, 'store' | 'clock' | 'log'>;
};

/** The leader of the next slots is another one: what the last did not take is offered again soon. */
const RESEND_MS = 1_500;
const DEFER_MS = 1_000;
/** Half a slot: looking more often finds nothing new. */
const POLL_MS = 200;
/** As many as one question for their statuses holds. */
const MAX_IN_FLIGHT = 256;
/** Nothing is ever made dearer: the payer signed what it costs. */
const NEVER_MS = 24 * 3_600_000;

export async function openSolanaLanes(given: SolanaLanes): Promise<ReadonlyMap<string, LaneParts>> {
  const { pool, networks, relayers, pace, partsOf } = given;
  const own: LanePace = {
    ...pace,
    maxInFlight: MAX_IN_FLIGHT,
    // Every transaction carries one payment: there is no company to wait for.
    gatherMs: 0,
    pollMs: Math.max(pace.pollMs, POLL_MS),
    resendMs: RESEND_MS,
    deferMs: DEFER_MS,
    bumpMs: NEVER_MS,
  };
  const lanes = new Map<string, LaneParts>();
  for (const { network, mode, nodes } of networks) {
    for (const signer of relayers) {
      const chain = createLaneChain({ nodes, signer });
      const lane = { network, relayer: signer.address };
      const parts = partsOf(laneKey(lane));
      await registerRelayer(pool, { ...lane, mode, duty: 'settle' }, chain.minedNonce, parts.clock.nowMs());
      lanes.set(laneKey(lane), { ...parts, chain, pace: own });
    }
  }
  return lanes;
}
