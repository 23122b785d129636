// The service as a list of answers per route, the last one for ever. What it was asked is kept.
import type { Acceptance, ErrorBody } from '@svc-pay/protocol';
import type { Ports } from '../ports.ts';

export const INTENT_ID = 'pi_1';

export type Answer =
  | { readonly status: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }
  | 'silence'
  | 'broken';

export type Route =
  | 'intent'
  | 'offer'
  | 'regular'
  | 'status'
  | 'prepare'
  | 'settle'
  | 'confirm'
  | 'notify'
  | 'stream'
  | 'node';

type Asked = {
  readonly route: Route;
  readonly url: string;
  readonly body: Record<string, unknown>;
  readonly headers: Headers;
};

export const SAMPLE: Acceptance = {
  scheme: 'exact',
  network: 'eip155:8453',
  maxAmountRequired: '12500000',
  payTo: '0x1111111111111111111111111111111111111111',
  maxTimeoutSeconds: 300,
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  extra: {
    intentId: INTENT_ID,
    name: 'USD Coin',
    eip3009Version: '2',
    primaryType: 'TransferWithAuthorization',
    rpcChainId: '8453',
    rpcUrlPublic: 'https://node.example',
  },
};

export const offered = (...accepts: readonly unknown[]): Answer => ({
  status: 402,
  body: { x402Version: 2, paymentIntentId: INTENT_ID, rpcChainId: '8453', accepts, error: '' },
});
export const settled = (status: string, more: object = {}): Answer => ({
  status: 200,
  body: { status, paymentIntent: { id: INTENT_ID }, payment: null, transactionId: null, ...more },
});
export const stands = (status: string, more: object = {}): Answer => ({
  status: 200,
  body: { paymentIntentId: INTENT_ID, status, paymentIntent: { id: INTENT_ID, status }, payment: null, ...more },
});
export const refused = (status: number, error: string, more: Partial<ErrorBody> = {}): Answer => ({
  status,
  body: {
    error,
    message: 'A sentence.',
    param: null,
    retryable: false,
    moneyMoved: 'no',
    requestId: 'req_7',
    docUrl: 'x',
    ...more,
  },
});
export const events = (...bodies: readonly unknown[]): Answer => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  body: bodies.map((body) => `event: payment_intent_update\ndata: ${JSON.stringify(body)}\n\n`).join(''),
});

const NEVER = new Promise<never>(() => {});

export function fakeService(answers: Partial<Record<Route, readonly Answer[]>>) {
  const asked: Asked[] = [];
  const times = new Map<Route, number>();
  /** What was really heard: answers that came before anybody gave up. */
  const given: { readonly route: Route; readonly answer: Answer }[] = [];
  const fetch: Ports['fetch'] = async (input, init) => {
    const url = typeof input === 'string' ? input : '';
    const route = routeOf(url);
    const time = (times.get(route) ?? 0) + 1;
    times.set(route, time);
    asked.push({
      route,
      url,
      get body() {
        return typeof init?.body === 'string' ? JSON.parse(init.body) : {};
      },
      get headers() {
        return new Headers(init?.headers);
      },
    });
    const list = answers[route] ?? ['silence'];
    const answer = list[Math.min(time, list.length) - 1] ?? 'silence';
    if (answer === 'silence') return NEVER;
    if (answer === 'broken') throw new TypeError('failed to fetch');
    given.push({ route, answer });
    const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
    // As much of a response as is used: ten thousand real ones would take their time.
    const { headers = {} } = answer;
    return {
      status: answer.status,
      headers: { get: (name: string) => headers[name] ?? null },
      text: async () => text,
      body: { getReader: () => readerOf(text) },
    } as unknown as Response;
  };
  return { fetch, asked, given, of: (route: Route) => asked.filter((one) => one.route === route) };
}

function readerOf(text: string) {
  let read = false;
  return {
    async read() {
      const done = read;
      read = true;
      return done ? { done, value: undefined } : { done, value: new TextEncoder().encode(text) };
    },
  };
}

function routeOf(url: string): Route {
  if (url.endsWith('/intents/x402')) return 'intent';
  if (/\/intents\/\w+\/x402$/.test(url)) return 'offer';
  if (/\/intents\/\w+\/regular$/.test(url)) return 'regular';
  if (/\/intents\/\w+$/.test(url)) return 'status';
  if (url.endsWith('/x402/prepare')) return 'prepare';
  if (url.endsWith('/x402/settle')) return 'settle';
  if (url.endsWith('/upto/confirm')) return 'confirm';
  if (url.endsWith('/notify')) return 'notify';
  return url.endsWith('/stream') ? 'stream' : 'node';
}
