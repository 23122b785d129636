import type { Clock } from '@svc-pay/core';
import type { Pulse } from '@svc-pay/engine';
import { expireIntents } from '@svc-pay/postgres/lanes';
import type pg from 'pg';

const EVERY_MS = 1_000;
const AT_ONCE = 500;
/** One beat takes at most this many turns; the rest waits for the next. */
const MAX_TURNS = 20;

/** Intents that nobody paid in time become canceled. */
export function createIntentExpiry(pool: pg.Pool, clock: Clock): Pulse {
  return {
    name: 'intent-expiry',
    everyMs: EVERY_MS,
    beat: async () => {
      for (let turn = 0; turn < MAX_TURNS; turn += 1) {
        if ((await expireIntents(pool, clock.nowMs(), AT_ONCE)) < AT_ONCE) return;
      }
    },
  };
}
