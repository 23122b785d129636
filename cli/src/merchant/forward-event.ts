// Sends one event to a receiver on the developer's machine, in the same form as the service delivers it.
import { createHmac } from 'node:crypto';
import { type Clock, endpointSecretBytes, signDelivery } from '@svc-pay/core';
import type { Followed } from './follow-events.ts';

export type Forwarded = {
  /** Undefined if there was no answer. */
  readonly status: number | undefined;
  readonly ms: number;
  readonly problem: string | undefined;
};

/** Default timeout of a webhook endpoint. */
const TIMEOUT_MS = 5_000;

/** Stable per secret key, so that the receiver's configuration stays valid. The key cannot be derived from it. */
export function forwardSecretOf(secretKey: string): string {
  return `whsec_${createHmac('sha256', secretKey).update('svc listen: secret of the forwarding endpoint').digest('base64')}`;
}

export function createForward(url: string, secretKey: string, clock: Clock) {
  const endpointSecrets = [endpointSecretBytes(forwardSecretOf(secretKey))].filter((bytes) => bytes !== undefined);
  return async ({ id, sequence, event }: Followed): Promise<Forwarded> => {
    const body = Buffer.from(JSON.stringify(event));
    const secrets = { signingKey: secretKey, endpointSecrets, customHeaders: {} };
    const { sent } = await signDelivery({ eventId: id, sequence, body }, secrets, Math.floor(clock.nowMs() / 1_000));
    const startMs = performance.now();
    const answered = (status: number | undefined, problem?: string): Forwarded => ({
      status,
      ms: Math.round(performance.now() - startMs),
      problem,
    });
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: sent,
        body,
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const answer = answered(response.status);
      await response.body?.cancel();
      return answer;
    } catch (problem) {
      return answered(
        undefined,
        (problem as Error).name === 'TimeoutError' ? 'no answer in 5 s' : 'nobody listens there',
      );
    }
  };
}
