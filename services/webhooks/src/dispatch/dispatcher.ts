// Takes what is due for a shard and sends it: claims are short, requests run outside of any transaction, and a turn never
// waits for one of them. So a shard whose endpoints hang goes on serving the others.
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  ClaimedDelivery,
  Clock,
  DeliveryReport,
  DeliveryStore,
  DueEndpoint,
  HeldShard,
  KeyHolder,
  Mode,
  WantedDeliveries,
} from '@svc-pay/core';
import type { Next } from '@svc-pay/engine';
import { createDueList } from './due-list.ts';
import type { Pace } from './endpoint-pace.ts';
import { createEndpointTurns } from './endpoint-turns.ts';
import type { Recorder } from './recorder.ts';

export type DispatcherParts = {
  readonly store: DeliveryStore;
  readonly clock: Clock;
  readonly modes: readonly Mode[];
  readonly pace: Pace;
  readonly recorder: Recorder;
  /** Before the deliveries of a claim are tried. */
  readonly prepare: (holders: readonly KeyHolder[]) => Promise<void>;
  readonly attempt: (delivery: ClaimedDelivery, stopped: AbortSignal) => Promise<DeliveryReport>;
  /** How long a turn takes what comes in. */
  readonly turnMs: number;
  /** How long a claimed delivery is nobody else's: longer than any endpoint's timeout and the writing down together. */
  readonly leaseMs: number;
  readonly onReport: (report: DeliveryReport) => void;
  readonly onProblem: (problem: unknown) => void;
};

export type Dispatcher = {
  /** One bounded turn at a shard. */
  readonly turn: (held: HeldShard, attemptOver: AbortSignal) => Promise<Next>;
  /** No more claims; what is under way gets `graceMs` and is then cut off and recorded as such. */
  readonly stop: (graceMs: number) => Promise<void>;
};

const PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 100;
const MOST_ENDPOINTS = 200;
/** Rows of one endpoint that a claim may always take; more when few endpoints are due. */
const FAIR_ROWS = 5;
/** What costs an endpoint nothing of its pace. */
const ANSWERS: ReadonlySet<string> = new Set(['succeeded', 'refused', 'blocked']);

export function createDispatcher(parts: DispatcherParts): Dispatcher {
  const { store, clock, modes, pace, recorder } = parts;
  const stopped = new AbortController();
  const underWay = new Set<Promise<void>>();
  const closing = new AbortController();
  const dueList = createDueList(store, modes);
  const turns = createEndpointTurns();

  const carry = async (delivery: ClaimedDelivery): Promise<void> => {
    let answered = false;
    pace.began(delivery.endpointId);
    try {
      const report = await parts.attempt(delivery, stopped.signal);
      answered = ANSWERS.has(report.record.outcome);
      parts.onReport(report);
      await recorder.record(report);
    } finally {
      pace.ended(delivery.endpointId, answered, clock.nowMs());
    }
  };
  const start = (delivery: ClaimedDelivery) => {
    // A bug in trying: the lease ends by itself, and the attempt is written down as lost.
    const work = carry(delivery)
      .catch(parts.onProblem)
      .finally(() => underWay.delete(work));
    underWay.add(work);
  };

  /** A few rows of each endpoint, of as many endpoints as there is room for. */
  const wantedOf = (due: readonly DueEndpoint[]): WantedDeliveries[] => {
    const nowMs = clock.nowMs();
    const wanted: WantedDeliveries[] = [];
    let taken = 0;
    const share = Math.max(FAIR_ROWS, Math.floor(pace.free() / Math.max(due.length, 1)));
    for (const { accountId, mode, endpointId } of due) {
      const room = Math.min(pace.roomFor(endpointId, nowMs), share, pace.free() - taken);
      if (room <= 0) continue;
      turns.had(endpointId);
      wanted.push({ accountId, mode, endpointId, room });
      taken += room;
      if (wanted.length === MOST_ENDPOINTS) break;
    }
    return wanted;
  };

  const look = async (held: HeldShard): Promise<readonly DueEndpoint[]> => {
    const endpoints = await dueList.look(held, clock.nowMs());
    for (const endpoint of endpoints) if (!endpoint.enabled) await store.stopDeliveries(endpoint, clock.nowMs());
    return turns.inOrder(endpoints.filter(({ enabled }) => enabled));
  };

  const claim = async (due: readonly DueEndpoint[]): Promise<number> => {
    const claimed = await store.claimDeliveries(wantedOf(due), clock.nowMs(), parts.leaseMs);
    if (claimed.length > 0) await parts.prepare(claimed);
    for (const delivery of claimed) start(delivery);
    return claimed.length;
  };

  return {
    turn: async (held, attemptOver) => {
      if (closing.signal.aborted || !(await store.beatShard(held, clock.nowMs()))) return 'idle';
      const endMs = performance.now() + parts.turnMs;
      const over = AbortSignal.any([closing.signal, attemptOver]);
      let busy = false;
      let pauseMs = PAUSE_MS;
      while (performance.now() < endMs && !over.aborted) {
        const due = await look(held);
        const claimed = await claim(due);
        busy ||= due.length > 0;
        pauseMs = claimed > 0 ? PAUSE_MS : Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
        await sleep(pauseMs);
      }
      if (closing.signal.aborted) return 'idle';
      if (busy) return 'now';
      return (await store.fallAsleep(held, modes, clock.nowMs())) ? 'idle' : 'now';
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
