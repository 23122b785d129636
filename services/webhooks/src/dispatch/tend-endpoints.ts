// What comes round besides sending: recoveries, a step at a time, and warnings about endpoints that are about to be
// switched off.
import type { Clock, Mode } from '@svc-pay/core';
import type { Pulse } from '@svc-pay/engine';
import { type FailingEndpoint, nameFailing, workRecovery } from '@svc-pay/postgres/deliveries';
import type pg from 'pg';

export type TendingParts = {
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly modes: readonly Mode[];
  readonly onFailing: (endpoint: FailingEndpoint) => void;
};

const RECOVER_MS = 500;
/** So that a beat ends although more and more is ordered. */
const MOST_STEPS = 20;
const WARN_MS = 60_000;

const suffixOf = (modes: readonly Mode[]) => (modes.length === 1 ? `.${modes[0]}` : '');

export function recoveryPulse({ pool, clock, modes }: TendingParts): Pulse {
  return {
    name: `recoveries${suffixOf(modes)}`,
    everyMs: RECOVER_MS,
    beat: async () => {
      for (let step = 0; step < MOST_STEPS; step += 1) {
        if (!(await workRecovery(pool, modes, clock.nowMs()))) return;
      }
    },
  };
}

export function warningPulse({ pool, clock, modes, onFailing }: TendingParts): Pulse {
  return {
    name: `endpoint-warnings${suffixOf(modes)}`,
    everyMs: WARN_MS,
    beat: async () => {
      for (const endpoint of await nameFailing(pool, modes, clock.nowMs())) onFailing(endpoint);
    },
  };
}
