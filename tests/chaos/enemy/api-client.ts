// HTTP to the APIs in turn, cheap enough for hundreds of requests a second from one process. Clients have addresses of
// their own by X-Forwarded-For, as behind a proxy.
import { Pool } from 'undici';

export type ApiRequest = {
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly key?: string;
  /** Of the client. */
  readonly address: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
};

export type ApiAnswer = {
  readonly http: number;
  readonly text: string;
  /** What the answer asks to wait before the next try; 0 if it says nothing. */
  readonly retryAfterMs: number;
};

export type ApiClient = {
  /** Undefined when nobody answered. */
  readonly ask: (request: ApiRequest) => Promise<ApiAnswer | undefined>;
  /** Address of the next API in turn. */
  readonly nextUrl: () => string;
  readonly close: () => Promise<void>;
};

const CONNECTIONS = 512;
const PATIENCE_MS = 20_000;

export function createApiClient(urls: readonly string[]): ApiClient {
  const options = { connections: CONNECTIONS, headersTimeout: PATIENCE_MS, bodyTimeout: PATIENCE_MS };
  const pools = urls.map((url) => new Pool(url, options));
  let turn = 0;
  const next = <Item>(items: readonly Item[]): Item => {
    const item = items[turn++ % items.length];
    if (item === undefined) throw new Error('there is no API');
    return item;
  };
  return {
    ask: async ({ method = 'POST', path, key, address, body, headers }) => {
      try {
        const answer = await next(pools).request({
          method,
          path,
          headers: {
            'x-forwarded-for': address,
            ...(key !== undefined && { authorization: `Bearer ${key}` }),
            ...(body !== undefined && { 'content-type': 'application/json' }),
            ...headers,
          },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        });
        const text = await answer.body.text();
        const wait = answer.headers['retry-after'];
        const retryAfterMs = typeof wait === 'string' ? Number.parseInt(wait, 10) * 1_000 : 0;
        return { http: answer.statusCode, text, retryAfterMs };
      } catch {
        return undefined;
      }
    },
    nextUrl: () => next(urls),
    close: async () => {
      await Promise.all(pools.map((pool) => pool.destroy()));
    },
  };
}

/** One word for an answer: the error's code where there is one. */
export function wordOf(answer: ApiAnswer | undefined): string {
  if (answer === undefined) return 'unanswered';
  if (answer.http === 402) return 'offered';
  const { error, status } = bodyOf(answer);
  if (typeof error === 'string') return error;
  return status === 'succeeded' || status === 'processing' ? status : `http_${answer.http}`;
}

export function bodyOf({ text }: ApiAnswer): Readonly<Record<string, unknown>> {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
