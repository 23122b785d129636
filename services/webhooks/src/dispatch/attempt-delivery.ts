// One try of one delivery, from the claimed row to the report. Whatever goes wrong becomes part of the report.
import {
  type AttemptRecord,
  type ClaimedDelivery,
  type Clock,
  checkEndpointUrl,
  type DeliveryReport,
  judgeAttempt,
  type Random,
  retryAfterMs,
  signDelivery,
} from '@svc-pay/core';
import type { OpenSecrets } from '../request/open-secrets.ts';
import type { SendRequest } from '../send/send-request.ts';

export type AttemptParts = {
  readonly secrets: OpenSecrets;
  readonly send: SendRequest;
  readonly clock: Clock;
  readonly random: Random;
  readonly deniedPorts: ReadonlySet<number>;
};

export async function attemptDelivery(
  delivery: ClaimedDelivery,
  parts: AttemptParts,
  stopped: AbortSignal,
): Promise<DeliveryReport> {
  const { clock, random } = parts;
  const record = await attempt(delivery, parts, stopped);
  return { delivery, record, verdict: judgeAttempt(delivery, record, clock.nowMs(), random) };
}

async function attempt(
  delivery: ClaimedDelivery,
  { secrets, send, clock, deniedPorts }: AttemptParts,
  stopped: AbortSignal,
): Promise<AttemptRecord> {
  const { endpoint, mode, endpointId } = delivery;
  const checked = checkEndpointUrl(endpoint.url, { mode, deniedPorts });
  if (!checked.ok) return unsent('blocked', checked.code, clock.nowMs());
  const opened = secrets.open(delivery);
  if (typeof opened === 'string') return unsent('our_fault', opened, clock.nowMs());
  const { sent: headers, masked } = await signDelivery(delivery, opened, Math.floor(clock.nowMs() / 1_000));
  // After the signing, which waits for a thread: the log's times and phases are those of the request.
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
