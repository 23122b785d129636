// An up-to settlement as settlement takes it: written first, then the lanes are told. Who is not told finds it by itself.
import { type Clock, LANE_DRAIN, type Lane, laneKey } from '@svc-pay/core';
import { type BeganUpto, beginUpto, markAsleep, markAwake, type UptoSettlement } from '@svc-pay/postgres/lanes';
import type { NetworkId } from '@svc-pay/protocol';
import type pg from 'pg';
import type { OpenNetwork } from '../open-networks.ts';

export type BeginParts = {
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly networks: readonly OpenNetwork[];
  readonly wake: (drain: string, key: string) => Promise<void>;
  readonly onProblem: (problem: unknown) => void;
};

export function createBeginUpto(parts: BeginParts): (settlement: UptoSettlement) => Promise<BeganUpto> {
  const { pool, clock, networks, onProblem } = parts;
  const processorVersion = (network: string, processor: string) =>
    networks.find((open) => open.network === network && open.processor.toLowerCase() === processor.toLowerCase())
      ?.processorVersion;
  return async (settlement) => {
    const began = await beginUpto({ pool, clock, processorVersion }, settlement);
    if (began.ok && began.begun) await wakeLanes(parts, began.network).catch(onProblem);
    return began;
  };
}

async function wakeLanes({ pool, wake, onProblem }: BeginParts, network: NetworkId): Promise<void> {
  const wakeOne = async (lane: Lane) => {
    try {
      await wake(LANE_DRAIN, laneKey(lane));
    } catch (problem) {
      onProblem(problem);
      await markAsleep(pool, lane);
    }
  };
  await Promise.all((await markAwake(pool, network)).map(wakeOne));
}
