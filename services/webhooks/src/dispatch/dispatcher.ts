// Leases due deliveries of a shard and sends them. Claims are short, requests run outside of any transaction, and a
// turn never waits for a request. A shard with hanging endpoints therefore keeps serving the others.
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  Clock,
  DeliveryReport,
  DeliveryStore,
  DueEndpoint,
  KeyHolder,
  LeasedDelivery,
  Mode,
  ShardLease,
  WantedDeliveries,
} from '@svc-pay/core';
import type { Next } from '@svc-pay/engine';
import { createDueList } from './due-list.ts';
import type { Pace, SlotKind } from './endpoint-pace.ts';
import { createEndpointTurns } from './endpoint-turns.ts';
import { deliveryKey, type Recorder } from './recorder.ts';

export type DispatcherDeps = {
  readonly store: DeliveryStore;
  readonly clock: Clock;
  readonly modes: readonly Mode[];
  readonly pace: Pace;
  readonly recorder: Recorder;
  /** Runs before the deliveries of a claim are attempted. */
  readonly prepare: (holders: readonly KeyHolder[]) => Promise<void>;
  readonly attempt: (delivery: LeasedDelivery, stopped: AbortSignal) => Promise<DeliveryReport>;
  /** Duration of one turn at a shard. */
  readonly turnMs: number;
  /** Lease on a leased delivery: longer than any endpoint's timeout plus the time to record the attempt. */
  readonly leaseMs: number;
  readonly onReport: (report: DeliveryReport) => void;
  readonly onProblem: (problem: unknown, ids: object) => void;
};

export type Dispatcher = {
  /** Works on a shard for one bounded turn. */
  readonly turn: (lease: ShardLease, attemptOver: AbortSignal) => Promise<Next>;
  /** Stops claiming. Running attempts get `graceMs`, then are aborted and recorded as such. */
  readonly stop: (graceMs: number) => Promise<void>;
};

const PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 100;
const MOST_ENDPOINTS = 200;
/** Rows of one endpoint that a claim may always take; more when few endpoints are due. */
const FAIR_ROWS = 5;
/** Outcomes that do not slow down the endpoint's pace. */
const ANSWERS: ReadonlySet<string> = new Set(['succeeded', 'refused', 'blocked']);

export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { store, clock, modes, pace, recorder } = deps;
  const stopped = new AbortController();
  const underWay = new Set<Promise<void>>();
  const closing = new AbortController();
  const dueList = createDueList(store, modes);
  const turns = { general: createEndpointTurns(), kept: createEndpointTurns() };

  const carry = async (delivery: LeasedDelivery): Promise<void> => {
    let answered = false;
    const slot = pace.began(delivery.endpointId, delivery.goesFirst, clock.nowMs());
    try {
      const report = await deps.attempt(delivery, stopped.signal);
      answered = ANSWERS.has(report.record.outcome);
      deps.onReport(report);
      await recorder.record(report);
    } finally {
      pace.ended(delivery.endpointId, slot, answered, clock.nowMs());
    }
  };
  const start = (delivery: LeasedDelivery) => {
    // If the attempt throws (a bug), the lease runs out and the attempt is recorded as lost.
    const work = carry(delivery)
      .catch((problem: unknown) => deps.onProblem(problem, deliveryKey(delivery)))
      .finally(() => underWay.delete(work));
    underWay.add(work);
  };

  /** Takes a few rows per endpoint, from as many endpoints as there is room for. Each kind of slot has turns of its own. */
  const wantedOf = (due: readonly DueEndpoint[]): readonly WantedDeliveries[] => {
    const nowMs = clock.nowMs();
    const wanted = new Map<string, WantedDeliveries>();
    const give = (slot: SlotKind, fairRows: number, name: 'room' | 'keptRoom') => {
      let free = pace.free()[slot];
      let given = 0;
      const share = Math.max(fairRows, Math.floor(free / Math.max(due.length, 1)));
      for (const { accountId, mode, endpointId } of turns[slot].inOrder(due)) {
        const room = Math.min(pace.roomFor(endpointId, nowMs)[slot], share, free);
        if (room <= 0) continue;
        turns[slot].had(endpointId);
        const others = wanted.get(endpointId) ?? { accountId, mode, endpointId, room: 0, keptRoom: 0 };
        wanted.set(endpointId, { ...others, [name]: room });
        free -= room;
        given += 1;
        if (given === MOST_ENDPOINTS) return;
      }
    };
    give('general', FAIR_ROWS, 'room');
    give('kept', 1, 'keptRoom');
    return [...wanted.values()];
  };

  const look = async (lease: ShardLease): Promise<readonly DueEndpoint[]> => {
    const endpoints = await dueList.look(lease, clock.nowMs());
    for (const endpoint of endpoints) if (!endpoint.enabled) await store.stopDeliveries(endpoint, clock.nowMs());
    return endpoints.filter(({ enabled }) => enabled);
  };

  const claim = async (due: readonly DueEndpoint[]): Promise<number> => {
    const claimed = await store.leaseDeliveries(wantedOf(due), clock.nowMs(), deps.leaseMs);
    if (claimed.length > 0) await deps.prepare(claimed);
    for (const delivery of claimed) start(delivery);
    return claimed.length;
  };

  return {
    turn: async (lease, attemptOver) => {
      if (closing.signal.aborted || !(await store.heartbeatShard(lease, clock.nowMs()))) return 'idle';
      const endMs = performance.now() + deps.turnMs;
      const over = AbortSignal.any([closing.signal, attemptOver]);
      let busy = false;
      let pauseMs = PAUSE_MS;
      while (performance.now() < endMs && !over.aborted) {
        const due = await look(lease);
        const claimed = await claim(due);
        busy ||= due.length > 0;
        pauseMs = claimed > 0 ? PAUSE_MS : Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
        await sleep(pauseMs);
      }
      if (closing.signal.aborted) return 'idle';
      if (busy) return 'now';
      return (await store.fallAsleep(lease, modes, clock.nowMs())) ? 'idle' : 'now';
    },
    stop: async (graceMs) => {
      closing.abort();
      const late = sleep(graceMs, undefined, { ref: false });
      await Promise.race([Promise.all(underWay), late]);
      stopped.abort();
      await Promise.all(underWay);
    },
  };
}
