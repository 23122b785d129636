// The promises about endpoints: each is switched off only for a reason, and nothing is lost or sent while it is off.
import { ENDPOINT_OFF_AFTER_MS } from '@svc-pay/core';
import type { EndpointDays } from './endpoint-days.ts';
import type { Simulation } from './simulation.ts';

/** To be called in the moment in which reports were recorded. */
export function checkSwitchedOff({ tables, clock, violate }: Simulation, days: EndpointDays): void {
  for (const { id, status, disabledReason } of tables.endpoints.values()) {
    const enabledMs = days.offPeriods.findLast(({ endpointId }) => endpointId === id)?.toMs ?? 0;
    if (status !== 'disabled' || enabledMs > clock.nowMs()) continue;
    const attempts = tables.attempts.filter((each) => each.endpointId === id && each.outcome !== 'our_fault');
    const lastSuccess = attempts.findLastIndex(({ outcome }) => outcome === 'succeeded');
    const failures = attempts.slice(lastSuccess + 1).filter(({ recordedAtMs }) => recordedAtMs >= enabledMs);
    const lastMs = attempts.at(-1)?.recordedAtMs ?? 0;
    const failedForMs = lastMs - (failures[0]?.recordedAtMs ?? lastMs);
    const isGone = attempts.some((each) => each.responseStatus === 410 && each.recordedAtMs === lastMs);
    if (disabledReason === 'gone' ? !isGone : failedForMs < ENDPOINT_OFF_AFTER_MS) {
      violate('switched off for a reason', `${id} is off as ${disabledReason}, ${failedForMs} ms without a success`);
    }
    days.wasSwitchedOff(id, disabledReason ?? 'no reason');
  }
}

/** When all is quiet. */
export function checkOffPeriods({ tables, violate }: Simulation, days: EndpointDays): void {
  for (const { endpointId, fromMs, toMs } of days.offPeriods) {
    for (const [lease, atMs] of tables.leases) {
      if (lease.split(' ')[1] !== endpointId || atMs <= fromMs || atMs >= toMs) continue;
      violate(
        'nothing is sent while off',
        `${lease} was leased ${atMs - fromMs} ms after the endpoint was switched off`,
      );
    }
    const succeededMs = tables.attempts.findLast(
      (each) => each.endpointId === endpointId && each.outcome === 'succeeded' && each.recordedAtMs <= fromMs,
    )?.recordedAtMs;
    for (const [key, row] of tables.deliveries) {
      const { status, finishedAtMs } = row;
      const wasOpen = finishedAtMs === null || (finishedAtMs > (succeededMs ?? 0) && finishedAtMs <= fromMs);
      if (row.endpointId !== endpointId || status === 'succeeded' || !wasOpen) continue;
      violate('nothing is lost while off', `${key} is ${status} after its endpoint was enabled`);
    }
  }
}
