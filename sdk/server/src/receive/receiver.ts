// The receiving end of a webhook: raw bytes and headers in, a typed event or a reason out. Signature first, then time on
// both sides, then JSON; nothing of the body is looked at before its signature is good.
import {
  createStandardWebhookVerifier,
  createWebhookVerifier,
  DEFAULT_TOLERANCE_SECONDS,
  readWebhookEvent,
  SIGNATURE_HEADER,
  STANDARD_ID_HEADER,
  STANDARD_SIGNATURE_HEADER,
  STANDARD_TIMESTAMP_HEADER,
  type WebhookVerdict,
} from '@svc-pay/protocol/webhook';
import { type Now, systemNow } from '../clock.ts';
import type { ReceivedEvent } from '../event/received-event.ts';
import { type DeliveryHeaders, headerOf } from './delivery-headers.ts';
import { type Refusal, refuse } from './refusal.ts';
import { splitSecrets } from './split-secrets.ts';

export type ReceiverOptions = {
  /**
   * The account's secret key (`sk_…`), the secret of the endpoint (`whsec_…`), or several of either while one is being
   * replaced by another. A delivery that any of them signed is good. With endpoint secrets alone the server needs no key
   * that can move money.
   */
  readonly secrets: readonly string[];
  /** How far the time of a signature may be from `now`, on either side. 300 when left out. */
  readonly toleranceSeconds?: number;
  readonly now?: Now;
};

export type Received = { readonly ok: true; readonly timestampSeconds: number } & ReceivedEvent;

export type Receiver = {
  /** `rawBody` is what came off the wire: a Buffer, Uint8Array or ArrayBuffer. Never throws. */
  readonly verify: (rawBody: unknown, headers: DeliveryHeaders) => Promise<Received | Refusal>;
};

/** Throws a TypeError for a secret that is empty, not text or in no known form. */
export function createReceiver(options: ReceiverOptions): Receiver {
  const { toleranceSeconds = DEFAULT_TOLERANCE_SECONDS, now = systemNow } = options;
  const { accountKeys, endpointSecrets } = splitSecrets(options.secrets);
  const byAccount = accountKeys.length > 0 ? createWebhookVerifier(accountKeys, toleranceSeconds) : undefined;
  const byEndpoint =
    endpointSecrets.length > 0 ? createStandardWebhookVerifier(endpointSecrets, toleranceSeconds) : undefined;

  const verdictOn = async (body: Uint8Array, headers: DeliveryHeaders): Promise<WebhookVerdict> => {
    const nowSeconds = Math.floor(now() / 1_000);
    const standard = await byEndpoint?.({
      id: headerOf(headers, STANDARD_ID_HEADER),
      timestamp: headerOf(headers, STANDARD_TIMESTAMP_HEADER),
      signature: headerOf(headers, STANDARD_SIGNATURE_HEADER),
      body,
      nowSeconds,
    });
    if (standard?.ok || byAccount === undefined) return standard ?? MISSING;
    const own = await byAccount({ signature: headerOf(headers, SIGNATURE_HEADER), body, nowSeconds });
    // A sender that uses one of the two ways leaves the headers of the other out: that one has nothing to tell.
    return !own.ok && own.code === 'signature_missing' ? (standard ?? own) : own;
  };

  return {
    verify: async (rawBody, headers) => {
      const body = rawBody instanceof ArrayBuffer ? new Uint8Array(rawBody) : rawBody;
      if (!(body instanceof Uint8Array)) return refuse('body_not_raw_bytes');
      const verdict = await verdictOn(body, headers);
      if (!verdict.ok) return refuse(verdict.code);
      const read = readWebhookEvent(body);
      return read.ok ? { ...read, timestampSeconds: verdict.timestampSeconds } : refuse(read.code);
    },
  };
}

const MISSING: WebhookVerdict = { ok: false, code: 'signature_missing' };
