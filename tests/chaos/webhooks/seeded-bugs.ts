// Bugs to put into a sender on purpose. A checker that is worth its name finds each of them.
import type { Bend, Parts } from './hold-points.ts';

/** Calls a delivery succeeded and sends it afterwards. */
const recordingFirst: Bend = (parts) => ({
  ...parts,
  attempt: async (delivery, stopped) => {
    setTimeout(() => void parts.attempt(delivery, stopped).catch(parts.onProblem), SEND_AFTER_MS);
    return { delivery, record: { ...ARRIVED, startedAtMs: parts.clock.nowMs() }, verdict: { next: 'succeeded' } };
  },
});

const SEND_AFTER_MS = 200;
const ARRIVED: Omit<Awaited<ReturnType<Parts['attempt']>>['record'], 'startedAtMs'> = {
  outcome: 'succeeded',
  responseStatus: 200,
  address: '127.0.0.1',
  dnsMs: null,
  connectMs: null,
  tlsMs: null,
  firstByteMs: 1,
  totalMs: 1,
  requestHeaders: {},
  responseHeaders: {},
  responseExcerpt: null,
  error: null,
  retryAfterMs: null,
};

/** Records over whoever holds the delivery by now. */
const withoutFence: Bend = (parts, pool) => ({
  ...parts,
  recorder: {
    record: async (report) => {
      const { rows } = await pool.query<{ fence: string }>(
        'select fence from svc.deliveries where event_id = $1 and endpoint_id = $2',
        [report.delivery.eventId, report.delivery.endpointId],
      );
      const fence = rows[0]?.fence ?? report.delivery.fence;
      await parts.recorder.record({ ...report, delivery: { ...report.delivery, fence } });
    },
  },
});

export const SEEDED_BUGS = { recordingFirst, withoutFence } as const;
export type SeededBug = keyof typeof SEEDED_BUGS;
