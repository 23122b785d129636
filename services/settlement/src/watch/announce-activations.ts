// Tells the operator of every activation of a direct payout: of a change while it can still be ended.
import { type Clock, noticeEvent, type PeriodicJob, type WatchLog } from '@svc-pay/core';
import type { SettlementStores } from '@svc-pay/postgres/settlement-service';

const EVERY_MS = 60_000;

export function createActivationNotices(
  announceActivations: SettlementStores['announceActivations'],
  { clock, log }: { readonly clock: Clock; readonly log: WatchLog },
): PeriodicJob {
  return {
    name: 'activation-notices',
    everyMs: EVERY_MS,
    run: async () => {
      const nowMs = clock.nowMs();
      await announceActivations((notice) => log(noticeEvent(notice, nowMs), notice), nowMs);
    },
  };
}
