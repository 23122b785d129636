// One call of a facilitator route, with attempts. Every attempt sends the same bytes: the service gives a verify whose answer
// was lost its lease again, and a settle whose answer was lost the outcome of the same settlement.
import type { SellerOptions } from './seller-options.ts';

type FacilitatorRoute = 'supported' | 'verify' | 'settle';

type FacilitatorReply<Value> =
  /** `afterSilence`: an attempt before had no answer, and may be what this answer tells of. */
  | { readonly ok: true; readonly value: Value; readonly afterSilence: boolean }
  /**
   * `later`: the same call may be answered otherwise a moment later, or an attempt before had no answer, so that its deed is
   * not denied by a refusal of the last one. `value`: a refusal in the shape of the route.
   */
  | { readonly ok: false; readonly message: string; readonly later: boolean; readonly value: Value | undefined };

export type CallFacilitator = <Value>(
  route: FacilitatorRoute,
  schema: Schema<Value>,
  body?: object,
) => Promise<FacilitatorReply<Value>>;

type Schema<Value> = {
  readonly safeParse: (
    value: unknown,
  ) => { readonly success: true; readonly data: Value } | { readonly success: false };
};

const MAX_ATTEMPTS = 4;
const FIRST_PAUSE_MS = 250;
const DEFAULT_TIMEOUT_MS = 90_000;
/** A busy service did nothing; any other failure may have come after the deed. */
const mayHaveDone = (status: number) => status >= 500 || status === 408;
/** The same request may be answered otherwise a moment later. */
const mayPass = (status: number) => status >= 500 || status === 429 || status === 408;

export function facilitatorCalls(options: SellerOptions): CallFacilitator {
  const { baseUrl, secretKey, accountId, timeoutMs = DEFAULT_TIMEOUT_MS, fetch: send = fetch } = options;
  const pause = options.pause ?? ((ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms)));
  const base = baseUrl.replace(/\/+$/, '');
  const headers = {
    authorization: `Bearer ${secretKey}`,
    'content-type': 'application/json',
    ...(accountId !== undefined && { 'x-account-id': accountId }),
  };

  async function once(route: FacilitatorRoute, text: string | undefined) {
    try {
      const response = await send(`${base}/x402/${route}`, {
        ...(text === undefined ? { method: 'GET' } : { method: 'POST', body: text }),
        headers,
        // A secret key goes to the address it was configured for and nowhere else.
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      });
      return { status: response.status, isOk: response.ok, value: parsed(await response.text()) };
    } catch {
      return undefined;
    }
  }

  return async (route, schema, body) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    let mayBeDone = false;
    for (let attempt = 1; ; attempt += 1) {
      const reply = await once(route, text);
      const read = schema.safeParse(reply?.value);
      if (read.success && reply?.isOk === true) return { ok: true, value: read.data, afterSilence: mayBeDone };
      const later = reply === undefined || mayPass(reply.status);
      mayBeDone ||= reply === undefined || mayHaveDone(reply.status);
      if (attempt === MAX_ATTEMPTS || !later) {
        const heard = reply === undefined ? 'no answer' : `status ${reply.status}`;
        const value = read.success ? read.data : undefined;
        return { ok: false, message: `/x402/${route} of the service: ${heard}`, later: later || mayBeDone, value };
      }
      await pause(FIRST_PAUSE_MS * 2 ** (attempt - 1));
    }
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
