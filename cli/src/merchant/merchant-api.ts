// Client of the public API for a merchant's commands. A refusal is returned as a failure with the API's message.
import * as z from 'zod/mini';
import { type Failure, failed } from '../output/outcome.ts';

type Asked<Value> =
  | { readonly ok: true; readonly value: Value }
  /** `again`: a retry may succeed, but not before `waitMs`. */
  | { readonly ok: false; readonly again: boolean; readonly waitMs: number; readonly failure: Failure };

export type MerchantApi = {
  readonly get: <Value>(path: string, query: Query, shape: z.ZodMiniType<Value>) => Promise<Asked<Value>>;
  readonly post: <Value>(path: string, body: object, shape: z.ZodMiniType<Value>) => Promise<Asked<Value>>;
};
type Query = Readonly<Record<string, string | undefined>>;

const TIMEOUT_MS = 30_000;
const refusal = z.object({ error: z.string(), message: z.string() });
/** Encodes ids, which a person types: `../x` as an id must not become another path. */
export const pathOf = (strings: TemplateStringsArray, ...parts: readonly string[]): string =>
  String.raw({ raw: strings }, ...parts.map(encodeURIComponent));

export function createMerchantApi(apiUrl: string, secretKey: string): MerchantApi {
  const call = async <Value>(url: string, init: RequestInit, shape: z.ZodMiniType<Value>): Promise<Asked<Value>> => {
    const headers = { authorization: `Bearer ${secretKey}`, 'content-type': 'application/json' };
    try {
      const response = await fetch(url, {
        ...init,
        headers,
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      return readAnswer(response, await response.json(), shape);
    } catch {
      return {
        ok: false,
        again: true,
        waitMs: 0,
        failure: failed(
          'api_unreachable',
          `The API at ${new URL(url).origin} does not answer.`,
          'Is it running? `npm run dev` starts one; SVC_API_URL or --api-url says where it is.',
        ),
      };
    }
  };
  return {
    get: (path, query, shape) => {
      const given = new URLSearchParams();
      for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, value);
      const search = given.toString();
      return call(`${apiUrl}${path}${search === '' ? '' : `?${search}`}`, { method: 'GET' }, shape);
    },
    post: (path, body, shape) => call(`${apiUrl}${path}`, { method: 'POST', body: JSON.stringify(body) }, shape),
  };
}

function readAnswer<Value>(response: Response, answer: unknown, shape: z.ZodMiniType<Value>): Asked<Value> {
  const waitSeconds = /^\d{1,5}$/.exec(response.headers.get('retry-after') ?? '')?.[0] ?? '0';
  const again = response.status === 429 || response.status >= 500;
  const refused = (failure: Failure): Asked<Value> => ({
    ok: false,
    again,
    waitMs: Number.parseInt(waitSeconds, 10) * 1_000,
    failure,
  });
  if (!response.ok) {
    const read = refusal.safeParse(answer);
    if (!read.success) return refused(failed('api_unexpected', `The API answered ${response.status}.`));
    return refused(failed(read.data.error, read.data.message, ADVICE[read.data.error]));
  }
  const read = shape.safeParse(answer);
  if (read.success) return { ok: true, value: read.data };
  return refused(failed('api_unexpected', 'The API answered in a shape that this release does not know.'));
}

const ADVICE: Readonly<Record<string, string>> = {
  key_invalid: 'Check SVC_SECRET_KEY, and that it is a key of the service at SVC_API_URL.',
  key_kind_not_allowed: 'SVC_SECRET_KEY takes a secret key, sk_…, not a publishable one.',
};
