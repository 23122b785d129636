// Transport of the chain reader. The size of an answer is bounded: what a range holds is chosen by whoever pays for logs. A
// log query that is too large for the node, for the time or for the bound is answered as such, so that the endpoint is asked
// for less and not suspended.
import { ANSWER_TOO_LONG, isSuccess, type PostAnswer, TIMEOUT } from '@svc-pay/runtime/http/post-body';
import { answerOf, answersOf, type RawAnswer, sendCalls } from '../rpc/post-calls.ts';
import { type RpcAnswer, type RpcCall, RpcUnavailable } from '../rpc/rpc-call.ts';
import { refusesRange } from './refuses-range.ts';

/** Code of an answer that did not come because it would have been too large, or too late. */
export const OVER_THE_BOUND = -32_098;

const CONTENT_TOO_LARGE = 413;

export function createLogPost(maxBytes: number) {
  return async (url: string, calls: readonly RpcCall[], timeoutMs: number): Promise<readonly RpcAnswer[]> => {
    try {
      const answer = await sendCalls(url, calls, { timeoutMs, mostBytes: maxBytes });
      if (answer.status === CONTENT_TOO_LARGE) return overTheBound(calls, 'HTTP 413');
      return readAnswers(calls, answer);
    } catch (problem) {
      if (isNamed(problem, ANSWER_TOO_LONG)) return overTheBound(calls, `more than ${maxBytes} bytes`);
      if (asksLogs(calls) && isNamed(problem, TIMEOUT)) return overTheBound(calls, `more than ${timeoutMs} ms`);
      throw problem;
    }
  };
}

/** Several providers answer a query that is too large with an HTTP status and one error for the whole batch. */
function readAnswers(calls: readonly RpcCall[], { status, text }: PostAnswer): readonly RpcAnswer[] {
  const parsed = parse(text);
  if (Array.isArray(parsed) && isSuccess(status)) return answersOf(calls, parsed);
  const whole = (Array.isArray(parsed) ? parsed[0] : parsed) as RawAnswer | null | undefined;
  const answer = typeof whole === 'object' && whole !== null ? answerOf(whole) : undefined;
  if (answer?.ok === false && refusesRange(answer)) return calls.map(() => answer);
  throw new RpcUnavailable(isSuccess(status) ? 'the batch was not answered as a batch' : `HTTP ${status}`);
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

const asksLogs = (calls: readonly RpcCall[]): boolean => calls.some(({ method }) => method === 'eth_getLogs');

const isNamed = (problem: unknown, name: string): boolean => problem instanceof Error && problem.name === name;

const overTheBound = (calls: readonly RpcCall[], message: string): readonly RpcAnswer[] =>
  calls.map(() => ({ ok: false, code: OVER_THE_BOUND, message, data: null }));
