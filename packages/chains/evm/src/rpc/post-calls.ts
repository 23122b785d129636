// Posts one request to one node. Throws unless every call was answered.
import { type RpcAnswer, type RpcCall, RpcUnavailable } from './rpc-call.ts';

export async function postCalls(
  url: string,
  calls: readonly RpcCall[],
  timeoutMs: number,
): Promise<readonly RpcAnswer[]> {
  const response = await sendCalls(url, calls, AbortSignal.timeout(timeoutMs));
  if (!response.ok) throw new RpcUnavailable(`HTTP ${response.status}`);
  return answersOf(calls, await response.json());
}

export function sendCalls(url: string, calls: readonly RpcCall[], signal: AbortSignal): Promise<Response> {
  const { address, headers } = withoutCredentials(url);
  return fetch(address, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }))),
    signal,
    redirect: 'error',
  });
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

/** `fetch` refuses URLs with user and password, so they go into a header. */
export function withoutCredentials(url: string): { address: string; headers: Record<string, string> } {
  const address = new URL(url);
  const { username, password } = address;
  if (username === '' && password === '') return { address: url, headers: {} };
  address.username = '';
  address.password = '';
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { address: address.href, headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` } };
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
