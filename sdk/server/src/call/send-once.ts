// One attempt of one call: a whole answer, or nothing that can be relied on.
import { EXPORT_CURSOR_HEADER, EXPORT_MORE_HEADER, JSON_LINES } from '@svc-pay/protocol/merchant';
import type { Now } from '../clock.ts';

export type Outgoing = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Over connecting, waiting and reading. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
};

export type ApiAnswer = {
  readonly httpStatus: number;
  readonly value: unknown;
  readonly requestId: string | null;
  readonly retryAfterMs: number | undefined;
};

/** Whether the request arrived is not known. */
export type Silence = 'no_answer';

export async function sendOnce(send: typeof fetch, now: Now, outgoing: Outgoing): Promise<ApiAnswer | Silence> {
  const { method, url, headers, body, timeoutMs, signal } = outgoing;
  const timeUp = AbortSignal.timeout(timeoutMs);
  try {
    const response = await send(url, {
      method,
      headers,
      ...(body !== undefined && { body }),
      // A secret key goes to the address it was configured for and nowhere else.
      redirect: 'manual',
      signal: signal === undefined ? timeUp : AbortSignal.any([timeUp, signal]),
    });
    const text = await response.text();
    return {
      httpStatus: response.status,
      value: isJsonLines(response.headers) ? pageOf(text, response.headers) : parsed(text),
      requestId: response.headers.get('x-request-id'),
      retryAfterMs: msIn(response.headers.get('retry-after'), now),
    };
  } catch {
    return 'no_answer';
  }
}

const isJsonLines = (headers: Headers) => headers.get('content-type')?.startsWith(JSON_LINES) === true;

/** A page of an export: a line each for its rows, and the cursor in its headers. Undefined for a line that is no JSON. */
function pageOf(text: string, headers: Headers): unknown {
  const rows = text === '' ? [] : text.trimEnd().split('\n').map(parsed);
  if (rows.includes(undefined)) return undefined;
  return { rows, cursor: headers.get(EXPORT_CURSOR_HEADER), hasMore: headers.get(EXPORT_MORE_HEADER) === 'true' };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Seconds, or the date that a proxy may say instead. */
function msIn(retryAfter: string | null, now: Now): number | undefined {
  if (retryAfter === null) return undefined;
  if (/^\d{1,6}$/.test(retryAfter)) return Number(retryAfter) * 1_000;
  const atMs = Date.parse(retryAfter);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - now());
}
