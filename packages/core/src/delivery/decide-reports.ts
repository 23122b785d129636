// Decides about the reports of one endpoint that are recorded together: the endpoint's health first, then each delivery.
import { type EndpointFacts, type EndpointHealthDecision, judgeEndpointHealth } from '../endpoint/endpoint-health.ts';
import { ENDPOINT_STATUS } from '../endpoint/endpoint-transitions.ts';
import { type DeliveryDecision, decideDelivery } from './decide-delivery.ts';
import type { DeliveryReport } from './delivery.ts';
import { signOf } from './judge-attempt.ts';

export type DecidedReports = {
  readonly health: EndpointHealthDecision;
  /** One for each report, in their order. */
  readonly deliveries: readonly DeliveryDecision[];
};

/** A set of successes needs no facts of the endpoint, and so no lock. */
export const needsEndpointFacts = (reports: readonly DeliveryReport[]): boolean =>
  reports.some(({ verdict }) => verdict.next !== 'succeeded');

/** Only for reports whose lease still holds: a late report says nothing of the endpoint as it is now. */
export function decideReports(
  endpoint: EndpointFacts | undefined,
  reports: readonly DeliveryReport[],
  nowMs: number,
): DecidedReports {
  const signs = reports.map(({ record }) => ({ says: signOf(record), startedAtMs: record.startedAtMs }));
  const health = judgeEndpointHealth(endpoint, signs, nowMs);
  const status = health.next === 'off' ? ENDPOINT_STATUS.disabled : endpoint?.status;
  return { health, deliveries: reports.map(({ verdict }) => decideDelivery(verdict, status)) };
}
