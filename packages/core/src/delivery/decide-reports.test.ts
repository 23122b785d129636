import { expect, test } from 'vitest';
import type { EndpointFacts } from '../endpoint/endpoint-health.ts';
import { sampleReport } from '../testing/sample-report.ts';
import { PARKED_AT_MS } from './decide-delivery.ts';
import { decideReports, needsEndpointFacts } from './decide-reports.ts';

const NOW = 1_794_744_000_000;
const ENABLED: EndpointFacts = { status: 'enabled', failingSinceMs: null, changedAtMs: 0 };
const report = (answer: Parameters<typeof sampleReport>[1]) => sampleReport({}, answer, NOW);

test('410 parks every delivery that did not succeed, those of other answers too', () => {
  const { health, deliveries } = decideReports(
    ENABLED,
    [report(410), report(500), report(200), report('our_fault')],
    NOW,
  );
  expect(health).toEqual({ next: 'off', reason: 'gone', sinceMs: NOW });
  expect(deliveries.map(({ nextAtMs }) => nextAtMs)).toEqual([PARKED_AT_MS, PARKED_AT_MS, null, PARKED_AT_MS]);
});

test('an endpoint that is not switched off retries by the schedule', () => {
  const reports = [report(500), report('timed_out')];
  const { health, deliveries } = decideReports(ENABLED, reports, NOW);
  expect(health).toEqual({ next: 'failing', sinceMs: NOW });
  expect(deliveries.map(({ nextAtMs }) => nextAtMs)).toEqual([NOW + 5_000, NOW + 60_000]);
});

test('only a set of successes needs no facts of the endpoint', () => {
  expect(needsEndpointFacts([report(200), report(204)])).toBe(false);
  for (const answer of [500, 410, 'our_fault', 'timed_out'] as const) {
    expect(needsEndpointFacts([report(200), report(answer)])).toBe(true);
  }
});
