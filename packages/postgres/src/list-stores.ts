// Stores of the lists that a merchant reads.
import type { Caller, Clock, IntentFilter, OverviewRange, PaymentFilter } from '@svc-pay/core';
import type { Id } from '@svc-pay/protocol/ids';
import type { Database, DatabaseOptions } from './database/open-database.ts';
import { findPayment } from './listing/find-payment.ts';
import { listAttempts } from './listing/list-attempts.ts';
import { type IntentListPage, listOwnIntents } from './listing/list-own-intents.ts';
import { listPayments } from './listing/list-payments.ts';
import { listRefused } from './listing/list-refused.ts';
import type { ListPage } from './listing/walk-list.ts';
import { readOverview } from './overview/read-overview.ts';
import { readTimeline } from './timeline/read-timeline.ts';

/**
 * Lists have connections of their own, so that a merchant's report takes none from payments. Their statements read an index in
 * its order; a plan that sorts would read everything first.
 */
export const LIST_POOL = {
  maxConnections: 4,
  statementTimeoutMs: 5_000,
  byKeys: true,
  readInOrder: true,
} as const satisfies Partial<DatabaseOptions>;

export type ListStores = ReturnType<typeof createListStores>;

export function createListStores({ pool }: Pick<Database, 'pool'>, clock: Clock) {
  return {
    payments: (caller: Caller, filter: PaymentFilter, page: Parameters<typeof listPayments>[3]) =>
      listPayments(pool, caller, filter, page, clock.nowMs()),
    intents: (caller: Caller, filter: IntentFilter, page: IntentListPage) =>
      listOwnIntents(pool, caller, filter, page, clock.nowMs()),
    payment: (caller: Caller, paymentId: Id<'payment'>) => findPayment(pool, caller, paymentId),
    attempts: (caller: Caller, intentId: Id<'paymentIntent'>) => listAttempts(pool, caller, intentId),
    refusedAttempts: (caller: Caller, page: ListPage) => listRefused(pool, caller, page, clock.nowMs()),
    timeline: (caller: Caller, intentId: Id<'paymentIntent'>) => readTimeline(pool, caller, intentId),
    overview: (caller: Caller, range: OverviewRange) => readOverview(pool, caller, range),
  };
}
