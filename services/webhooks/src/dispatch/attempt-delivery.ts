// One attempt of one delivery, from the claimed row to the report. Every error becomes part of the report.
import {
  type AttemptRecord,
  type Clock,
  checkEndpointUrl,
  type DeliveryReport,
  isAmbiguous,
  judgeAttempt,
  type LeasedDelivery,
  type Random,
  retryAfterMs,
  signDelivery,
} from '@svc-pay/core';
import type { OpenSecrets } from '../request/open-secrets.ts';
import type { SendRequest } from '../send/send-request.ts';

export type AttemptDeps = {
  readonly secrets: OpenSecrets;
  readonly send: SendRequest;
  readonly clock: Clock;
  readonly random: Random;
  readonly deniedPorts: ReadonlySet<number>;
};

/** The service writes no such body, and does not sign it. */
const AMBIGUOUS = 'the body of the event can be understood in two ways';

export async function attemptDelivery(
  delivery: LeasedDelivery,
  deps: AttemptDeps,
  stopped: AbortSignal,
): Promise<DeliveryReport> {
  const { clock, random } = deps;
  const record = await attempt(delivery, deps, stopped);
  return { delivery, record, verdict: judgeAttempt(delivery, record, clock.nowMs(), random) };
}

async function attempt(
  delivery: LeasedDelivery,
  { secrets, send, clock, deniedPorts }: AttemptDeps,
  stopped: AbortSignal,
): Promise<AttemptRecord> {
  const { endpoint, mode, endpointId } = delivery;
  const checked = checkEndpointUrl(endpoint.url, { mode, deniedPorts });
  if (!checked.ok) return unsent('blocked', checked.code, clock.nowMs());
  // In test mode whoever holds the API sends samples of every kind anyway.
  if (mode === 'live' && isAmbiguous(delivery.body)) return unsent('our_fault', AMBIGUOUS, clock.nowMs());
  const opened = secrets.open(delivery);
  if (typeof opened === 'string') return unsent('our_fault', opened, clock.nowMs());
  const { sent: headers, masked } = await signDelivery(delivery, opened, Math.floor(clock.nowMs() / 1_000));
  // Read after signing, which waits for a thread, so that the logged times are those of the request only.
  const startedAtMs = clock.nowMs();
  const { retryAfter, ...sent } = await send(
    {
      endpointKey: `${mode} ${endpointId} ${endpoint.url}`,
      target: checked.target,
      headers,
      body: delivery.body,
      timeoutMs: endpoint.timeoutMs,
    },
    stopped,
  );
  return { ...sent, requestHeaders: masked, startedAtMs, retryAfterMs: retryAfterMs(retryAfter, clock.nowMs()) };
}

function unsent(outcome: 'blocked' | 'our_fault', error: string, startedAtMs: number): AttemptRecord {
  return {
    outcome,
    error,
    startedAtMs,
    responseStatus: null,
    address: null,
    dnsMs: null,
    connectMs: null,
    tlsMs: null,
    firstByteMs: null,
    totalMs: 0,
    requestHeaders: {},
    responseHeaders: {},
    responseExcerpt: null,
    retryAfterMs: null,
  };
}
