// Transport of the chain reader. The size of an answer is bounded: what a range holds is chosen by whoever pays for logs. A
// log query that is too large for the node, for the time or for the bound is answered as such, so that the endpoint is asked
// for less and not suspended.
import { answerOf, answersOf, type RawAnswer, sendCalls } from '../rpc/post-calls.ts';
import { type RpcAnswer, type RpcCall, RpcUnavailable } from '../rpc/rpc-call.ts';
import { refusesRange } from './refuses-range.ts';

/** Code of an answer that did not come because it would have been too large, or too late. */
export const OVER_THE_BOUND = -32_098;

const CONTENT_TOO_LARGE = 413;

export function createLogPost(maxBytes: number) {
  return async (url: string, calls: readonly RpcCall[], timeoutMs: number): Promise<readonly RpcAnswer[]> => {
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(timeoutMs)]);
    try {
      const response = await sendCalls(url, calls, signal);
      if (response.status === CONTENT_TOO_LARGE) return overTheBound(calls, 'HTTP 413');
      const body = await readBody(response, maxBytes);
      if (body === undefined) return overTheBound(calls, `more than ${maxBytes} bytes`);
      return readAnswers(calls, body, response);
    } catch (problem) {
      if (asksLogs(calls) && isTimeout(problem)) return overTheBound(calls, `more than ${timeoutMs} ms`);
      throw problem;
    } finally {
      // Ends a body of which the rest is not read.
      stop.abort();
    }
  };
}

/** Undefined when the body is longer. */
async function readBody(response: Response, maxBytes: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Several providers answer a query that is too large with an HTTP status and one error for the whole batch. */
function readAnswers(calls: readonly RpcCall[], body: string, response: Response): readonly RpcAnswer[] {
  const parsed = parse(body);
  if (Array.isArray(parsed) && response.ok) return answersOf(calls, parsed);
  const whole = (Array.isArray(parsed) ? parsed[0] : parsed) as RawAnswer | null | undefined;
  const answer = typeof whole === 'object' && whole !== null ? answerOf(whole) : undefined;
  if (answer?.ok === false && refusesRange(answer)) return calls.map(() => answer);
  throw new RpcUnavailable(response.ok ? 'the batch was not answered as a batch' : `HTTP ${response.status}`);
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

const asksLogs = (calls: readonly RpcCall[]): boolean => calls.some(({ method }) => method === 'eth_getLogs');

const isTimeout = (problem: unknown): boolean => problem instanceof Error && problem.name === 'TimeoutError';

const overTheBound = (calls: readonly RpcCall[], message: string): readonly RpcAnswer[] =>
  calls.map(() => ({ ok: false, code: OVER_THE_BOUND, message, data: null }));
