// Posts one request to one node. Throws unless every call was answered.
import {
  ANSWER_TOO_LONG,
  isSuccess,
  type PostAnswer,
  type PostOptions,
  postBody,
} from '@svc-pay/runtime/http/post-body';
import { type RpcAnswer, type RpcCall, RpcUnavailable } from './rpc-call.ts';

/** More than one receipt can have: a byte of a log costs 8 gas, so that a block of 60 million gas has 15 MB of hex. */
const MOST_ANSWER_BYTES = 32 * 1024 * 1024;

/** Calls whose answers are too long together are asked in halves: the receipts of a hundred full transactions are. */
export async function postCalls(
  url: string,
  calls: readonly RpcCall[],
  timeoutMs: number,
  mostBytes = MOST_ANSWER_BYTES,
): Promise<readonly RpcAnswer[]> {
  const endMs = performance.now() + timeoutMs;
  const half = Math.ceil(calls.length / 2);
  try {
    const { status, text } = await sendCalls(url, calls, { timeoutMs, mostBytes });
    if (!isSuccess(status)) throw new RpcUnavailable(`HTTP ${status}`);
    return answersOf(calls, JSON.parse(text));
  } catch (problem) {
    if (half === calls.length || !(problem instanceof Error && problem.name === ANSWER_TOO_LONG)) throw problem;
  }
  const askRest = (rest: readonly RpcCall[]) => postCalls(url, rest, Math.max(1, endMs - performance.now()), mostBytes);
  return [...(await askRest(calls.slice(0, half))), ...(await askRest(calls.slice(half)))];
}

export function sendCalls(url: string, calls: readonly RpcCall[], options: PostOptions): Promise<PostAnswer> {
  return postBody(url, JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }))), options);
}

/** The answers in a body, in the order of the calls. */
export function answersOf(calls: readonly RpcCall[], body: unknown): readonly RpcAnswer[] {
  if (!Array.isArray(body)) throw new RpcUnavailable('the batch was not answered as a batch');
  const answers = new Map(body.map((entry: RawAnswer) => [entry.id, answerOf(entry)]));
  return calls.map((_, id) => {
    const answer = answers.get(id);
    if (answer === undefined) throw new RpcUnavailable('a call was left without an answer');
    return answer;
  });
}

export type RawAnswer = {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown; readonly data?: unknown } | null;
};

export function answerOf(entry: RawAnswer): RpcAnswer {
  const { error } = entry;
  if (error === undefined || error === null) return { ok: true, result: entry.result };
  const { code, message, data } = error;
  return { ok: false, code: typeof code === 'number' ? code : 0, message: String(message), data };
}
