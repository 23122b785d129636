// Periodic jobs besides sending: event replays, step by step, and warnings about endpoints that will soon be switched
// off.
import type { Clock, Mode, PeriodicJob } from '@svc-pay/core';
import type { EndpointStore, FailingEndpoint } from '@svc-pay/postgres/webhooks-service';

export type EndpointJobDeps = {
  readonly store: EndpointStore;
  readonly clock: Clock;
  readonly modes: readonly Mode[];
  readonly onFailing: (endpoint: FailingEndpoint) => void;
};

const REPLAY_MS = 500;
/** Limit of steps per run, so that a run ends even while more replays are requested. */
const MOST_STEPS = 20;
const WARN_MS = 60_000;

const suffixOf = (modes: readonly Mode[]) => (modes.length === 1 ? `.${modes[0]}` : '');

export function replayJob({ store, clock, modes }: EndpointJobDeps): PeriodicJob {
  return {
    // The engine stores this name: a new name would leave the old job's schedule behind.
    name: `recoveries${suffixOf(modes)}`,
    everyMs: REPLAY_MS,
    run: async () => {
      for (let step = 0; step < MOST_STEPS; step += 1) {
        if (!(await store.workReplay(modes, clock.nowMs()))) return;
      }
    },
  };
}

export function warningJob({ store, clock, modes, onFailing }: EndpointJobDeps): PeriodicJob {
  return {
    name: `endpoint-warnings${suffixOf(modes)}`,
    everyMs: WARN_MS,
    run: async () => {
      for (const endpoint of await store.nameFailing(modes, clock.nowMs())) onFailing(endpoint);
    },
  };
}
