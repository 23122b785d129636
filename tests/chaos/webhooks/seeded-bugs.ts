// Bugs to put into a sender on purpose. A checker that is worth its name finds each of them.
import type { Deps, FaultInjector } from './pause-points.ts';

/** Calls a delivery succeeded and sends it afterwards. */
const recordingFirst: FaultInjector = (deps) => ({
  ...deps,
  attempt: async (delivery, stopped) => {
    const sendLater = () => deps.attempt(delivery, stopped).catch((problem: unknown) => deps.onProblem(problem, {}));
    setTimeout(() => void sendLater(), SEND_AFTER_MS);
    return { delivery, record: { ...ARRIVED, startedAtMs: deps.clock.nowMs() }, verdict: { next: 'succeeded' } };
  },
});

const SEND_AFTER_MS = 200;
const ARRIVED: Omit<Awaited<ReturnType<Deps['attempt']>>['record'], 'startedAtMs'> = {
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
const withoutFence: FaultInjector = (deps, { pool }) => ({
  ...deps,
  recorder: {
    record: async (report) => {
      const { rows } = await pool.query<{ fence: string }>(
        'select fence from svc.deliveries where event_id = $1 and endpoint_id = $2',
        [report.delivery.eventId, report.delivery.endpointId],
      );
      const fence = rows[0]?.fence ?? report.delivery.fence;
      await deps.recorder.record({ ...report, delivery: { ...report.delivery, fence } });
    },
  },
});

export const SEEDED_BUGS = { recordingFirst, withoutFence } as const;
export type SeededBug = keyof typeof SEEDED_BUGS;
