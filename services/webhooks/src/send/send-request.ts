// One POST with one time budget for DNS, connection, TLS, headers and body together. Redirects count as non-2xx
// answers.
import type { AttemptRecord, EndpointTarget } from '@svc-pay/core';
import type { Connection, Connections } from './connections.ts';
import { createExcerpt, type Excerpt, keptHeaders, type RawHeaders, storable } from './read-answer.ts';
import { isStale, problemOf, SendProblem } from './send-problem.ts';
import { createTimeLimits, type Over } from './time-limit.ts';

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
  const beginTimeLimit = createTimeLimits();
  return async (request, stopped) => {
    const startMs = performance.now();
    const { over, clear } = beginTimeLimit(request.timeoutMs, stopped);
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
      const { outcome, message } = faultOf(thrown, over, stopped);
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
      clear();
    }
  };
}

function faultOf(thrown: unknown, over: Over, stopped: AbortSignal): SendProblem {
  if (stopped.aborted) return new SendProblem('our_fault', 'this process was stopped; it may have arrived');
  if (over.aborted) return new SendProblem('timed_out', 'no answer in time');
  return problemOf(thrown);
}

/**
 * Resolves with the answer as soon as its body has ended, broken off, or is longer than is read: status and headers decide. The
 * library's `request` would make a stream of each body.
 */
function post(
  { client }: Connection,
  { target, headers, body }: OutgoingRequest,
  over: Over,
  startMs: number,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const excerpt = createExcerpt();
    let head: Head | undefined;
    let abort: (() => void) | undefined;
    const end = (problem?: Error) => {
      if (abort !== undefined) over.removeEventListener('abort', abort);
      if (head !== undefined) resolve(answerOf(head, excerpt));
      else reject(problem);
    };
    client.dispatch(
      { method: 'POST', path: target.pathAndQuery, headers, body },
      {
        onRequestStart: (controller) => {
          abort = () => controller.abort(new SendProblem('timed_out', 'the time was over'));
          if (over.aborted) abort();
          else over.addEventListener('abort', abort);
        },
        onResponseStart: (_, status, responseHeaders) => {
          // Informational answers come before the answer.
          if (status >= 200)
            head = { status, headers: responseHeaders, firstByteMs: Math.round(performance.now() - startMs) };
        },
        onResponseData: (controller, chunk) => {
          if (!excerpt.add(chunk)) controller.abort(new SendProblem('refused', 'the answer is too long'));
        },
        onResponseEnd: () => end(),
        onResponseError: (_, problem) => end(problem),
      },
    );
  });
}

type Head = { readonly status: number; readonly headers: RawHeaders; readonly firstByteMs: number };

function answerOf({ status, headers, firstByteMs }: Head, excerpt: Excerpt): Answer {
  const bytes = excerpt.bytes();
  const retryAfter = headers['retry-after'];
  return {
    responseStatus: status,
    firstByteMs,
    responseHeaders: keptHeaders(headers),
    responseExcerpt: bytes.length === 0 ? null : bytes,
    retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
  };
}

function discard(connection: Connection | undefined): void {
  connection?.client.destroy().catch(() => {});
}
