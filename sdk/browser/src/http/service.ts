// The service as the SDK knows it: calls of a publishable key or of the client secret of one intent, each one request. What
// may be repeated is decided by who calls; nothing here repeats by itself.
import type { Acceptance, CreateIntentRequest, PrepareRequest, SettleRequest } from '@svc-pay/protocol';
import type { Ports } from '../ports.ts';
import { type Reply, sendOnce } from './send-once.ts';

/** Who asks. A client secret reads and pays its one intent. */
export type Credential = { readonly kind: 'publishable_key' | 'client_secret'; readonly text: string };

export type ServiceOptions = {
  readonly baseUrl: string;
  readonly credential: Credential | undefined;
  readonly requestTimeoutMs: number;
  readonly settleTimeoutMs: number;
};

/** A signed header on its way, with the acceptance exactly as it came. */
export type Submission = Pick<SettleRequest, 'paymentIntentId' | 'paymentHeader'> & {
  readonly paymentRequirements: Acceptance;
};

export type Service = ReturnType<typeof createService>;

export function createService(ports: Ports, options: ServiceOptions) {
  const { credential, requestTimeoutMs, settleTimeoutMs } = options;
  const base = new URL(options.baseUrl);
  const authorization: Record<string, string> =
    credential === undefined ? {} : { authorization: `Bearer ${credential.text}` };
  const at = (path: string, from: string = base.href) => `${from.replace(/\/+$/, '')}/sdk/public/payments/${path}`;

  const post = (
    url: string,
    body: unknown,
    signal: AbortSignal,
    timeoutMs: number,
    more: Record<string, string> = {},
  ) =>
    sendOnce(
      ports,
      {
        method: 'POST',
        url,
        headers: { ...authorization, 'content-type': 'application/json', ...more },
        body: JSON.stringify(body),
        timeoutMs,
      },
      signal,
    );

  const get = (url: string, signal: AbortSignal) =>
    sendOnce(ports, { method: 'GET', url, headers: authorization, timeoutMs: requestTimeoutMs }, signal);
  const intentPath = (paymentIntentId: string) => `intents/${encodeURIComponent(paymentIntentId)}`;

  /** The acceptance may name a facilitator. A signed header is money, so it goes only to the origin that was configured. */
  const facilitatorOf = ({ paymentRequirements }: Submission): string => {
    const named = paymentRequirements.extra?.facilitatorUrl;
    return named && URL.canParse(named) && new URL(named).origin === base.origin ? named : base.href;
  };

  return {
    /** Safe to repeat: the key makes all repeats one request. */
    createIntent: (
      body: CreateIntentRequest,
      idempotencyKey: string,
      signal: AbortSignal,
    ): Promise<Reply | undefined> =>
      post(at('intents/x402'), body, signal, requestTimeoutMs, { 'idempotency-key': idempotencyKey }),

    /** What may be signed for an intent that exists. */
    getOffer: (paymentIntentId: string, signal: AbortSignal): Promise<Reply | undefined> =>
      get(at(`${intentPath(paymentIntentId)}/x402`), signal),

    /** The ways to pay an intent that exists with transactions of the payer's own. */
    getRegular: (paymentIntentId: string, signal: AbortSignal): Promise<Reply | undefined> =>
      get(at(`${intentPath(paymentIntentId)}/regular`), signal),

    /** Safe to repeat: nothing can come of a transaction before it is signed. */
    prepare: (body: PrepareRequest, signal: AbortSignal): Promise<Reply | undefined> =>
      post(at('x402/prepare'), body, signal, requestTimeoutMs),

    /** Safe to repeat: a header is taken once, and a repeat answers how its payment stands. */
    settle: (submission: Submission, signal: AbortSignal): Promise<Reply | undefined> =>
      post(at('x402/settle', facilitatorOf(submission)), submission, signal, settleTimeoutMs),

    /** Safe to repeat, like settle. */
    confirmUpto: (submission: Submission, signal: AbortSignal): Promise<Reply | undefined> =>
      post(at('intents/x402/upto/confirm', facilitatorOf(submission)), submission, signal, settleTimeoutMs),

    /** Asks how the intent stands; with a key also that somebody looks after it. Moves nothing. */
    notify: (paymentIntentId: string, signal: AbortSignal): Promise<Reply | undefined> =>
      credential?.kind === 'client_secret'
        ? get(at(intentPath(paymentIntentId)), signal)
        : post(at('notify'), { paymentIntentId }, signal, requestTimeoutMs),

    /** Tells the hash of a transaction that the payer sent, so that it is looked for sooner. It is found without that too. */
    announce: (paymentIntentId: string, transactionId: string, signal: AbortSignal): Promise<Reply | undefined> =>
      post(at('notify'), { paymentIntentId, transactionId }, signal, requestTimeoutMs),

    /** The event stream; rejects when it can't be opened. By fetch, so that the key stays out of addresses. */
    openStream: (paymentIntentId: string, signal: AbortSignal): Promise<Response> =>
      ports.fetch(at(`${intentPath(paymentIntentId)}/stream`), {
        headers: { ...authorization, accept: 'text/event-stream' },
        redirect: 'error',
        credentials: 'omit',
        cache: 'no-store',
        signal,
      }),
  };
}
