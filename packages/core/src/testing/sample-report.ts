// The report of one attempt, judged as services/webhooks judges it.
import type { AttemptOutcome, AttemptRecord, DeliveryReport, LeasedDelivery } from '../delivery/delivery.ts';
import { judgeAttempt } from '../delivery/judge-attempt.ts';
import type { Random } from '../delivery/retry-schedule.ts';

/** A response status, or how the attempt ended without one. */
export type SampleAnswer = number | Exclude<AttemptOutcome, 'succeeded' | 'refused'>;

const SAMPLE_LEASE: LeasedDelivery = {
  accountId: 'acct_a',
  mode: 'test',
  eventId: 'evt_a',
  endpointId: 'we_a',
  fence: '1',
  attempt: 1,
  chargedBefore: 0,
  sequence: 1,
  goesFirst: false,
  body: new Uint8Array(),
  endpoint: {
    url: 'https://shop.example/hooks',
    retryCount: 10,
    timeoutMs: 5_000,
    headersCiphertext: null,
    secretCiphertext: null,
    previousSecret: null,
  },
};

export function sampleReport(
  lease: Partial<LeasedDelivery>,
  answer: SampleAnswer,
  nowMs: number,
  { startedAtMs = nowMs, random = () => 0.5 }: { readonly startedAtMs?: number; readonly random?: Random } = {},
): DeliveryReport {
  const delivery = { ...SAMPLE_LEASE, ...lease };
  const answered = typeof answer === 'number';
  const record: AttemptRecord = {
    outcome: answered ? (answer >= 200 && answer < 300 ? 'succeeded' : 'refused') : answer,
    responseStatus: answered ? answer : null,
    address: null,
    dnsMs: null,
    connectMs: null,
    tlsMs: null,
    firstByteMs: null,
    totalMs: 3,
    requestHeaders: {},
    responseHeaders: {},
    responseExcerpt: null,
    error: answered ? null : 'no answer',
    startedAtMs,
    retryAfterMs: null,
  };
  return { delivery, record, verdict: judgeAttempt(delivery, record, nowMs, random) };
}
