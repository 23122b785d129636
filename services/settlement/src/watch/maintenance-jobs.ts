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

/** Deletes idempotency keys and their answers. */
export function createAnswerExpiry(store: MaintenanceStore, clock: Clock): PeriodicJob {
  return {
    name: 'answer-expiry',
    everyMs: ANSWERS_EVERY_MS,
    run: async () => {
      const beforeMs = keysForgottenBefore(clock.nowMs());
      for (let page = 0; page < MAX_PAGES; page += 1) {
        if ((await store.deleteOldAnswers(beforeMs, ANSWERS_PER_PAGE)) < ANSWERS_PER_PAGE) return;
      }
    },
  };
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
export function createRefusedExpiry(store: MaintenanceStore, clock: Clock): PeriodicJob {
  return {
    name: 'refused-expiry',
    everyMs: REFUSED_EVERY_MS,
    run: async () => {
      const beforeMs = clock.nowMs() - REFUSED_KEPT_MS;
      for (let page = 0; page < MAX_PAGES; page += 1) {
        if ((await store.deleteClosedRefused(beforeMs, REFUSED_PER_PAGE)) < REFUSED_PER_PAGE) return;
      }
    },
  };
}

/** Deletes leases of authorizations that have expired. */
export function createLeaseExpiry(store: MaintenanceStore, clock: Clock): PeriodicJob {
  return {
    name: 'lease-expiry',
    everyMs: LEASES_EVERY_MS,
    run: async () => {
      const nowMs = clock.nowMs();
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const deleted = await store.deleteEndedLeases(
          nowMs - LEASE_KEPT_MS,
          nowMs - SETTLED_LEASE_KEPT_MS,
          LEASES_PER_PAGE,
        );
        if (deleted < LEASES_PER_PAGE) return;
      }
    },
  };
}

/** Removes intents that nobody tried to pay, `days` after they were created and ended. What a late payment needs stays. */
export function createUnpaidRemoval(store: MaintenanceStore, clock: Clock, days: number): PeriodicJob {
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
    run: () =>
      walk(async (page) => {
        await store.removeUnpaidIntents(page, beforeMs());
      }),
  };
}
