// One attempt of one call: a whole answer, or nothing that can be relied on.

export type Post = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Over connecting, waiting and reading. */
  readonly timeoutMs: number;
};

export type Posted =
  | { readonly httpStatus: number; readonly value: unknown; readonly retryAfterMs: number | undefined }
  /** Whether the request arrived is not known. */
  | 'no_answer';

export async function postOnce(send: typeof fetch, { url, headers, body, timeoutMs }: Post): Promise<Posted> {
  try {
    const response = await send(url, {
      method: 'POST',
      headers,
      body,
      // A secret key goes to the address it was configured for and nowhere else.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    return {
      httpStatus: response.status,
      value: parsed(text),
      retryAfterMs: secondsIn(response.headers.get('retry-after')),
    };
  } catch {
    return 'no_answer';
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function secondsIn(retryAfter: string | null): number | undefined {
  return retryAfter !== null && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) * 1_000 : undefined;
}
