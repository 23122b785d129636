// One request: a whole answer, or nothing that can be relied on. Never throws.
import type { Ports } from '../ports.ts';
import { childOf, untilAborted } from './race.ts';

export type Outgoing = {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Over connecting, waiting and reading. */
  readonly timeoutMs: number;
};

export type Reply = {
  readonly status: number;
  /** Parsed JSON, or undefined when it was something else. */
  readonly body: unknown;
  /** The service's clock when it answered, if it may be read. */
  readonly dateMs: number | undefined;
  readonly retryAfterMs: number | undefined;
};

/** Undefined: no answer in time, a broken connection, or the signal was aborted. The request may have arrived. */
export async function sendOnce(ports: Ports, outgoing: Outgoing, signal: AbortSignal): Promise<Reply | undefined> {
  const { method, url, headers, body, timeoutMs } = outgoing;
  const { controller, release } = childOf(signal);
  const exchange = async (): Promise<Reply> => {
    const response = await ports.fetch(url, {
      method,
      headers,
      ...(body !== undefined && { body }),
      // The key goes to the address it was configured for and nowhere else.
      redirect: 'error',
      credentials: 'omit',
      cache: 'no-store',
      signal: controller.signal,
    });
    const dateMs = Date.parse(response.headers.get('date') ?? '');
    return {
      status: response.status,
      body: parsed(await response.text()),
      dateMs: Number.isNaN(dateMs) ? undefined : dateMs,
      retryAfterMs: secondsIn(response.headers.get('retry-after')),
    };
  };
  void ports.sleep(timeoutMs, controller.signal).then(() => controller.abort());
  try {
    return await untilAborted(exchange(), controller.signal);
  } catch {
    return undefined;
  } finally {
    release();
    controller.abort();
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
