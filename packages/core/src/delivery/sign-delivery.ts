// Makes the headers of one attempt. The body bytes are the same at every attempt; time and signatures are new.
import { createHmac, createSecretKey } from 'node:crypto';
import { SIGNATURE_HEADER, signWebhook, TIMESTAMP_HEADER } from '@svc-pay/protocol/webhook';

/** Increases with every event of an intent, so that receivers can sort. */
const SEQUENCE_HEADER = 'x-svc-sequence';

export type DeliveryToSign = {
  readonly eventId: string;
  readonly sequence: number;
  readonly body: Uint8Array;
};

export type DeliverySecrets = {
  /** The account's secret key. */
  readonly signingKey: string;
  /** The endpoint's secrets, if any: the current one, and the previous one while they overlap. */
  readonly endpointSecrets: readonly Uint8Array[];
  readonly customHeaders: Readonly<Record<string, string>>;
};

export type SignedHeaders = {
  readonly sent: Readonly<Record<string, string>>;
  /** The same headers for a log: no secrets, and no signature that could be replayed. */
  readonly masked: Readonly<Record<string, string>>;
};

const MASK = '***';
const USER_AGENT = 'SVC-Pay-Webhooks/1';

export async function signDelivery(
  { eventId, sequence, body }: DeliveryToSign,
  { signingKey, endpointSecrets, customHeaders }: DeliverySecrets,
  nowSeconds: number,
): Promise<SignedHeaders> {
  const time = String(nowSeconds);
  const standard = endpointSecrets.length > 0;
  const plain = {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    [TIMESTAMP_HEADER]: time,
    [SEQUENCE_HEADER]: String(sequence),
    ...(standard && { 'webhook-id': eventId, 'webhook-timestamp': time }),
  };
  const signed = {
    [SIGNATURE_HEADER]: await signWebhook(signingKey, nowSeconds, body),
    ...(standard && {
      'webhook-signature': endpointSecrets.map((each) => standardSignature(each, eventId, time, body)).join(' '),
    }),
  };
  const masked = {
    [SIGNATURE_HEADER]: `t=${time},v1=${MASK}`,
    ...(standard && { 'webhook-signature': endpointSecrets.map(() => `v1,${MASK}`).join(' ') }),
    ...Object.fromEntries(Object.keys(customHeaders).map((name) => [name, MASK])),
  };
  return { sent: { ...customHeaders, ...plain, ...signed }, masked: { ...plain, ...masked } };
}

function standardSignature(secret: Uint8Array, eventId: string, time: string, body: Uint8Array): string {
  // Node takes four times as long when given bytes instead of a key object.
  const digest = createHmac('sha256', createSecretKey(secret))
    .update(`${eventId}.${time}.`)
    .update(body)
    .digest('base64');
  return `v1,${digest}`;
}
