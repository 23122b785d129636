// Begins an up-to settlement: writes it first, then wakes the lanes. A lost wake-up is repaired by the reconciler.
import { type CapCharge, LANE_DRAIN, type Lane, laneKey } from '@svc-pay/core';
import type { BeganUpto, SettlementStores, UptoSettlement } from '@svc-pay/postgres/settlement-service';
import type { NetworkId } from '@svc-pay/protocol';

export type BeginDeps = Pick<SettlementStores, 'beginUpto' | 'markAwake' | 'markAsleep'> & {
  readonly wake: (drain: string, key: string) => Promise<void>;
  readonly onCharged: (charge: CapCharge) => void;
  readonly onProblem: (problem: unknown, ids: Partial<Lane>) => void;
};

export function createBeginUpto(deps: BeginDeps): (settlement: UptoSettlement) => Promise<BeganUpto> {
  return async (settlement) => {
    const began = await deps.beginUpto(settlement);
    if (began.ok && began.begunCapAtomic !== null) {
      const { network, begunCapAtomic: capAtomic } = began;
      deps.onCharged({ ...settlement, capAtomic });
      await wakeLanes(deps, network).catch((problem: unknown) => deps.onProblem(problem, { network }));
    }
    return began;
  };
}

async function wakeLanes({ markAwake, markAsleep, wake, onProblem }: BeginDeps, network: NetworkId): Promise<void> {
  const wakeOne = async (lane: Lane) => {
    try {
      await wake(LANE_DRAIN, laneKey(lane));
    } catch (problem) {
      onProblem(problem, lane);
      await markAsleep(lane);
    }
  };
  await Promise.all((await markAwake(network)).map(wakeOne));
}
