import { type Clock, createWalk, forEachIsolated, type NoteFailure, type PeriodicJob } from '@svc-pay/core';
import type { MaintenanceStore, OverdueIntent } from '@svc-pay/postgres/settlement-service';

const EVERY_MS = 1_000;
const AT_ONCE = 500;
/** Limit of pages per run; the next run takes the rest. */
const MAX_TURNS = 20;

/** Cancels intents that were not paid in time. If a page fails as a whole, cancels its intents one by one. */
export function createIntentExpiry(store: MaintenanceStore, clock: Clock, onFailure: NoteFailure): PeriodicJob {
  const walk = createWalk<OverdueIntent>({
    load: (after, limit) => store.loadOverdueIntents(clock.nowMs(), after, limit),
    pageSize: AT_ONCE,
    maxPages: MAX_TURNS,
  });
  const expireAlone = (page: readonly OverdueIntent[]) =>
    forEachIsolated(
      page,
      (overdue) => store.expireIntent(overdue, clock.nowMs()),
      ({ accountId, mode, intentId }, problem) => onFailure({ accountId, mode, intentId }, problem),
    );
  return {
    name: 'intent-expiry',
    everyMs: EVERY_MS,
    run: async () => {
      for (let turn = 0; turn < MAX_TURNS; turn += 1) {
        try {
          if ((await store.expireIntents(clock.nowMs(), AT_ONCE)) < AT_ONCE) return;
        } catch {
          // A single bad row fails the whole page. If the database itself is down, loading the page throws as well.
          return walk(expireAlone);
        }
      }
    },
  };
}
