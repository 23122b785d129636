// Periodic maintenance of the database: seal audit chains, delete the answers of old idempotency keys, refused
// authorizations that ended long ago, leases of x402 sellers, and intents that nobody paid.
import {
  type Clock,
  createWalk,
  keysForgottenBefore,
  type NoteFailure,
  type PeriodicJob,
  type RefundWatchStore,
} from '@svc-pay/core';
import type { MaintenanceStore, UnpaidIntent } from '@svc-pay/postgres/settlement-service';
import type { RestableJob } from './rest-jobs.ts';

const SEAL_EVERY_MS = 5_000;
const ANSWERS_EVERY_MS = 60_000;
const ANSWERS_PER_PAGE = 1_000;
const REFUSED_EVERY_MS = 60_000;
const REFUSED_PER_PAGE = 1_000;
/** They can move no money any more; a merchant may still ask about them for this long. */
const REFUSED_KEPT_MS = 30 * 86_400_000;
const PREPARED_REFUNDS_EVERY_MS = 60_000;
const LEASES_EVERY_MS = 60_000;
const LEASES_PER_PAGE = 1_000;
const LEASE_KEPT_MS = 86_400_000;
/** A seller that asks about its settle again is told what became of it for this long; the claim stays for ever. */
const SETTLED_LEASE_KEPT_MS = 30 * 86_400_000;
const UNPAID_EVERY_MS = 60_000;
const UNPAID_PER_PAGE = 500;
const UNPAID_PAGES = 20;
const DAY_MS = 86_400_000;
/** Limit of pages per run; the next run continues. */
const MAX_PAGES = 100;

export function createAuditSealer(store: MaintenanceStore, onFailure: NoteFailure): PeriodicJob {
  return {
    name: 'audit-sealer',
    everyMs: SEAL_EVERY_MS,
    run: () => store.sealAuditChains(onFailure),
  };
}

/**
 * Deletes page after page what ended long ago. Such a job rests after a run that found nothing: nobody waits for it, and after a run
 * that found something the next one must not be late, or rows would come faster than they go.
 */
function deletion(
  name: string,
  everyMs: number,
  pageSize: number,
  deletePage: (nowMs: number) => Promise<number>,
  clock: Clock,
): RestableJob {
  let found = true;
  return {
    name,
    everyMs,
    mayRest: () => !found,
    run: async () => {
      found = true;
      const nowMs = clock.nowMs();
      let deleted = pageSize;
      let all = 0;
      for (let page = 0; page < MAX_PAGES && deleted >= pageSize; page += 1) {
        deleted = await deletePage(nowMs);
        all += deleted;
      }
      found = all > 0;
    },
  };
}

/** Deletes idempotency keys and their answers. */
export function createAnswerExpiry(store: MaintenanceStore, clock: Clock): RestableJob {
  return deletion(
    'answer-expiry',
    ANSWERS_EVERY_MS,
    ANSWERS_PER_PAGE,
    (nowMs) => store.deleteOldAnswers(keysForgottenBefore(nowMs), ANSWERS_PER_PAGE),
    clock,
  );
}

/** Cancels refunds that were prepared and not signed in time. */
export function createRefundExpiry(store: Pick<RefundWatchStore, 'cancelStale'>, clock: Clock): PeriodicJob {
  return {
    name: 'refund-expiry',
    everyMs: PREPARED_REFUNDS_EVERY_MS,
    run: async () => {
      await store.cancelStale(clock.nowMs());
    },
  };
}

/** Deletes refused authorizations that were closed. */
export function createRefusedExpiry(store: MaintenanceStore, clock: Clock): RestableJob {
  return deletion(
    'refused-expiry',
    REFUSED_EVERY_MS,
    REFUSED_PER_PAGE,
    (nowMs) => store.deleteClosedRefused(nowMs - REFUSED_KEPT_MS, REFUSED_PER_PAGE),
    clock,
  );
}

/** Deletes leases of authorizations that have expired. */
export function createLeaseExpiry(store: MaintenanceStore, clock: Clock): RestableJob {
  return deletion(
    'lease-expiry',
    LEASES_EVERY_MS,
    LEASES_PER_PAGE,
    (nowMs) => store.deleteEndedLeases(nowMs - LEASE_KEPT_MS, nowMs - SETTLED_LEASE_KEPT_MS, LEASES_PER_PAGE),
    clock,
  );
}

/** Removes intents that nobody tried to pay, `days` after they were created and ended. What a late payment needs stays. */
export function createUnpaidRemoval(store: MaintenanceStore, clock: Clock, days: number): RestableJob {
  let found = true;
  const beforeMs = () => clock.nowMs() - days * DAY_MS;
  // Intents that stay, because an authorization of them is watched, do not keep it from those behind them.
  const walk = createWalk<UnpaidIntent>({
    load: (after, limit) => store.loadUnpaidIntents(beforeMs(), after, limit),
    pageSize: UNPAID_PER_PAGE,
    maxPages: UNPAID_PAGES,
  });
  return {
    name: 'unpaid-removal',
    everyMs: UNPAID_EVERY_MS,
    mayRest: () => !found,
    run: async () => {
      let pages = 0;
      found = true;
      await walk(async (page) => {
        pages += 1;
        await store.removeUnpaidIntents(page, beforeMs());
      });
      found = pages > 0;
    },
  };
}
