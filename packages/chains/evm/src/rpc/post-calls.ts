// Posts one request to one node. Throws unless every call was answered.
import { isSuccess, type PostAnswer, type PostOptions, postBody } from '@svc-pay/runtime/http/post-body';
import { type RpcAnswer, type RpcCall, RpcUnavailable } from './rpc-call.ts';

/** Of one request: the receipts of a lane's pending transactions are some hundred kilobytes each. */
const MOST_ANSWER_BYTES = 128 * 1024 * 1024;

export async function postCalls(
  url: string,
  calls: readonly RpcCall[],
  timeoutMs: number,
): Promise<readonly RpcAnswer[]> {
  const { status, text } = await sendCalls(url, calls, { timeoutMs, mostBytes: MOST_ANSWER_BYTES });
  if (!isSuccess(status)) throw new RpcUnavailable(`HTTP ${status}`);
  return answersOf(calls, JSON.parse(text));
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
