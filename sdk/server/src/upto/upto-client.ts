// Settling and releasing up-to payments from the merchant's backend, with the secret key.
import {
  type IntentStatusResponse,
  intentStatusResponse,
  type UptoSettleResponse,
  uptoSettleResponse,
} from '@svc-pay/protocol';
import { callService, type Wait } from './call-service.ts';
import { type SettleCall, settleRequest } from './settle-request.ts';
import { errorFromFailure, type UptoError } from './upto-error.ts';

export type UptoClientOptions = {
  /** Where the API answers, such as `https://pay.example.com`. Plain http is for test keys and this machine. */
  readonly baseUrl: string;
  readonly secretKey: string;
  readonly accountId: string;
  /** Per attempt; 30,000 when left out. The service itself waits up to 20 s for the chain before it says `processing`. */
  readonly timeoutMs?: number;
  /** Attempts of one call, when there is no answer or one that says to repeat; 4 when left out. */
  readonly maxAttempts?: number;
  readonly fetch?: typeof fetch;
  readonly wait?: Wait;
};

export type UptoSettled = { readonly ok: true; readonly settlement: UptoSettleResponse };
export type UptoReleased = { readonly ok: true; readonly released: IntentStatusResponse };

export type UptoClient = {
  /**
   * Charges the final amount. Safe to call again with the same amount, also after a crash: the payer is charged once, and
   * the answer says how it stands. Another amount is refused with `upto_already_settled`. `status: 'processing'` is not
   * the end; the end comes by webhook, or by calling again.
   */
  readonly settle: (call: SettleCall) => Promise<UptoSettled | UptoError>;
  /** Gives an authorization up that was not settled. The intent becomes `canceled`; again, the answer is the same. */
  readonly release: (call: { readonly paymentIntentId: string }) => Promise<UptoReleased | UptoError>;
};

/** Throws a TypeError for an address or key that can't be one. */
export function createUptoClient(options: UptoClientOptions): UptoClient {
  const { secretKey, accountId, timeoutMs = 30_000, maxAttempts = 4 } = options;
  const base = baseOf(options);
  const headers = {
    authorization: `Bearer ${secretKey}`,
    'content-type': 'application/json',
    'x-account-id': accountId,
  };
  const patience = { maxAttempts, send: options.fetch ?? fetch, wait: options.wait ?? pause };
  const postTo = (path: string, body: object) => ({
    url: `${base}${path}`,
    headers,
    body: JSON.stringify(body),
    timeoutMs,
  });

  return {
    settle: async (call) => {
      const checked = settleRequest(call);
      if (!checked.ok) return checked;
      const answer = await callService(postTo('/sdk/payments/x402/upto/settle', checked.request), patience, (value) => {
        const read = uptoSettleResponse.safeParse(value);
        return read.success ? { ok: true, value: read.data } : undefined;
      });
      if (!answer.ok) return answer;
      const { ok, status, error, message } = answer.value;
      return ok && status !== 'failed' ? { ok: true, settlement: answer.value } : errorFromFailure(error, message);
    },
    release: async ({ paymentIntentId }) => {
      const answer = await callService(
        postTo('/sdk/payments/x402/upto/release', { paymentIntentId }),
        patience,
        (value) => {
          const read = intentStatusResponse.safeParse(value);
          return read.success ? { ok: true, value: read.data } : undefined;
        },
      );
      return answer.ok ? { ok: true, released: answer.value } : answer;
    },
  };
}

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

function baseOf({ baseUrl, secretKey, accountId }: UptoClientOptions): string {
  if (typeof secretKey !== 'string' || !/^sk_(?:test|live)_\S+$/.test(secretKey)) {
    throw new TypeError('secretKey is not a secret key: sk_test_… or sk_live_…');
  }
  if (typeof accountId !== 'string' || accountId === '') throw new TypeError('accountId is empty');
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || `${url.username}${url.password}${url.search}` !== '') {
    throw new TypeError('baseUrl is the address of the API: https, a host, and nothing secret');
  }
  if (url.protocol === 'http:' && secretKey.startsWith('sk_live_') && !LOOPBACK.test(url.hostname)) {
    throw new TypeError('a live secret key is sent over https');
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

const pause: Wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
