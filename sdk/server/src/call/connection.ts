// Where the service is, who asks, and how patiently. Every call of the library goes through here.
import { type Now, systemNow } from '../clock.ts';
import { badCall, type CallFailure } from './call-failure.ts';
import { type Called, callService, type Patience, type ReadAnswer } from './call-service.ts';
import { pause, type Wait } from './pause.ts';
import type { Outgoing } from './send-once.ts';

export type SvcPayOptions = {
  /** Where the API answers, such as `https://pay.example.com`. Plain http is for test keys and this machine. */
  readonly baseUrl: string;
  readonly secretKey: string;
  /** Sent as `x-account-id`, so that a key of another account is refused. Settling an up-to payment needs it. */
  readonly accountId?: string;
  /** Per attempt; 30,000 when left out. The service itself waits up to 20 s for the chain before it says `processing`. */
  readonly timeoutMs?: number;
  /** Attempts of one call, when there is no answer or one that says to repeat; 4 when left out. */
  readonly maxAttempts?: number;
  readonly fetch?: typeof fetch;
  readonly wait?: Wait;
  readonly now?: Now;
};

export type CallOptions = {
  /** Ends the call, its attempts and its pauses, with the code `aborted`. */
  readonly signal?: AbortSignal;
  /** Per attempt, instead of the client's. */
  readonly timeoutMs?: number;
};

/** For calls that make something. */
export type MakeOptions = CallOptions & {
  /** One is made for each call when left out. Give your own, such as an order's number, to repeat a call after a crash. */
  readonly idempotencyKey?: string;
};

type ServiceCall<Value> = {
  readonly method: Outgoing['method'];
  readonly path: string;
  readonly body?: object;
  /** Doing it twice would make two: attempts are held together by an idempotency key. */
  readonly makes?: true;
  /** The payer may be charged by it. */
  readonly charges?: true;
  readonly read: ReadAnswer<Value>;
};

export type Connection = {
  readonly accountId: string | undefined;
  /** Of the key. */
  readonly mode: 'test' | 'live';
  readonly nowMs: () => number;
  readonly wait: Wait;
  readonly call: <Value>(call: ServiceCall<Value>, options?: MakeOptions) => Promise<Called<Value>['result']>;
  readonly callNoting: <Value>(call: ServiceCall<Value>, options?: MakeOptions) => Promise<Called<Value>>;
};

const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;

/** Throws a TypeError for an address or key that can't be one. */
export function connect(options: SvcPayOptions): Connection {
  const { secretKey, accountId, timeoutMs: usualTimeoutMs = 30_000, maxAttempts = 4 } = options;
  const base = baseOf(options);
  const patience: Patience = {
    maxAttempts,
    send: options.fetch ?? fetch,
    wait: options.wait ?? pause,
    now: options.now ?? systemNow,
  };
  const callNoting: Connection['callNoting'] = async (call, { signal, timeoutMs, idempotencyKey } = {}) => {
    const key = call.makes === true ? (idempotencyKey ?? crypto.randomUUID()) : undefined;
    if (key !== undefined && !VISIBLE_ASCII.test(key)) {
      return { result: badCall('idempotency_key_invalid', 'Idempotency-Key'), mayBeRepeat: false };
    }
    const outgoing = {
      method: call.method,
      url: `${base}${call.path}`,
      headers: {
        authorization: `Bearer ${secretKey}`,
        ...(accountId !== undefined && { 'x-account-id': accountId }),
        ...(call.body !== undefined && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      body: call.body === undefined ? undefined : JSON.stringify(call.body),
      timeoutMs: timeoutMs ?? usualTimeoutMs,
      signal,
    };
    const { result, mayBeRepeat } = await callService(outgoing, patience, call.read);
    return { result: result.ok ? result : told(result, call.charges === true, key), mayBeRepeat };
  };
  return {
    accountId,
    mode: secretKey.startsWith('sk_live_') ? 'live' : 'test',
    nowMs: patience.now,
    wait: patience.wait,
    callNoting,
    call: async (call, callOptions) => (await callNoting(call, callOptions)).result,
  };
}

/** What can't charge did not, whether or not there was an answer. */
function told(failure: CallFailure, charges: boolean, key: string | undefined): CallFailure {
  const moneyMoved = !charges && failure.moneyMoved === 'unknown' ? 'no' : failure.moneyMoved;
  return { ...failure, moneyMoved, idempotencyKey: key ?? null };
}

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

function baseOf({ baseUrl, secretKey, accountId }: SvcPayOptions): string {
  if (typeof secretKey !== 'string' || !/^sk_(?:test|live)_\S+$/.test(secretKey)) {
    throw new TypeError('secretKey is not a secret key: sk_test_… or sk_live_…');
  }
  if (accountId !== undefined && (typeof accountId !== 'string' || !/^\w+$/.test(accountId))) {
    throw new TypeError('accountId is not the id of an account: acct_…');
  }
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || `${url.username}${url.password}${url.search}` !== '') {
    throw new TypeError('baseUrl is the address of the API: https, a host, and nothing secret');
  }
  if (url.protocol === 'http:' && secretKey.startsWith('sk_live_') && !LOOPBACK.test(url.hostname)) {
    throw new TypeError('a live secret key is sent over https');
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}
