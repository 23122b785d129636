// One POST with one time budget for DNS, connection, TLS, headers and body together. Redirects count as non-2xx
// answers.
import type { AttemptRecord, EndpointTarget } from '@svc-pay/core';
import type { Connection, Connections } from './connections.ts';
import { keptHeaders, readExcerpt, storable } from './read-answer.ts';
import { isStale, problemOf, SendProblem } from './send-problem.ts';

type OutgoingRequest = {
  /** Requests with the same key may share connections. */
  readonly endpointKey: string;
  readonly target: EndpointTarget;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly timeoutMs: number;
};

type Sent = Omit<AttemptRecord, 'requestHeaders' | 'startedAtMs' | 'retryAfterMs'> & {
  readonly retryAfter: string | undefined;
};

export type SendRequest = (request: OutgoingRequest, stopped: AbortSignal) => Promise<Sent>;

const MAX_ERROR_CHARACTERS = 500;
const STALE_NOTE = 'the other side had closed the open connection; sent again on a new one';

type Exchange = { readonly connection: Connection; readonly answer: Answer };
type Answer = Pick<Sent, 'responseStatus' | 'firstByteMs' | 'responseHeaders' | 'responseExcerpt' | 'retryAfter'>;

export function createSendRequest(connections: Connections): SendRequest {
  return async (request, stopped) => {
    const startMs = performance.now();
    const budget = new AbortController();
    const timer = setTimeout(() => budget.abort(), request.timeoutMs);
    const over = AbortSignal.any([budget.signal, stopped]);
    const phases = { address: null, dnsMs: null, connectMs: null, tlsMs: null };
    let note: string | null = null;
    let current: Connection | undefined;
    const exchange = async (fresh: boolean): Promise<Exchange> => {
      const urgency = { over, budgetMs: request.timeoutMs - (performance.now() - startMs) };
      current = connections.take(request.endpointKey, request.target, urgency, fresh);
      return { connection: current, answer: await post(current, request, over, startMs) };
    };
    const finish = (rest: Omit<Sent, keyof typeof phases | 'totalMs'>): Sent => ({
      ...phases,
      ...current?.phases,
      totalMs: Math.round(performance.now() - startMs),
      ...rest,
    });
    try {
      const { connection, answer } = await exchange(false).catch((thrown: unknown) => {
        const reused = current?.used === true;
        discard(current);
        if (!reused || over.aborted || !isStale(thrown)) throw thrown;
        note = STALE_NOTE;
        return exchange(true);
      });
      connections.giveBack(request.endpointKey, connection);
      const status = answer.responseStatus ?? 0;
      return finish({ ...answer, outcome: status >= 200 && status < 300 ? 'succeeded' : 'refused', error: note });
    } catch (thrown) {
      discard(current);
      const { outcome, message } = faultOf(thrown, budget.signal, stopped);
      return finish({
        outcome,
        error: storable([note, message].filter((text) => text !== null).join('; ')).slice(0, MAX_ERROR_CHARACTERS),
        responseStatus: null,
        firstByteMs: null,
        responseHeaders: {},
        responseExcerpt: null,
        retryAfter: undefined,
      });
    } finally {
      clearTimeout(timer);
    }
  };
}

function faultOf(thrown: unknown, budget: AbortSignal, stopped: AbortSignal): SendProblem {
  if (stopped.aborted) return new SendProblem('our_fault', 'this process was stopped; it may have arrived');
  if (budget.aborted) return new SendProblem('timed_out', 'no answer in time');
  return problemOf(thrown);
}

async function post(
  { client }: Connection,
  { target, headers, body }: OutgoingRequest,
  over: AbortSignal,
  startMs: number,
): Promise<Answer> {
  const response = await client.request({
    method: 'POST',
    path: target.pathAndQuery,
    headers,
    body,
    signal: over,
  });
  const firstByteMs = Math.round(performance.now() - startMs);
  const { excerpt } = await readExcerpt(response.body);
  const retryAfter = response.headers['retry-after'];
  return {
    responseStatus: response.statusCode,
    firstByteMs,
    responseHeaders: keptHeaders(response.headers),
    responseExcerpt: excerpt.length === 0 ? null : excerpt,
    retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
  };
}

function discard(connection: Connection | undefined): void {
  connection?.client.destroy().catch(() => {});
}
