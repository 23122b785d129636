// Posts one request to one node. Throws unless every call was answered.
import { type RpcAnswer, type RpcCall, RpcUnavailable } from './rpc-call.ts';

export async function postCalls(
  url: string,
  calls: readonly RpcCall[],
  timeoutMs: number,
): Promise<readonly RpcAnswer[]> {
  const { address, headers } = withoutCredentials(url);
  const response = await fetch(address, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }))),
    signal: AbortSignal.timeout(timeoutMs),
    redirect: 'error',
  });
  if (!response.ok) throw new RpcUnavailable(`HTTP ${response.status}`);
  const body: unknown = await response.json();
  if (!Array.isArray(body)) throw new RpcUnavailable('the batch was not answered as a batch');
  const answers = new Map(body.map((entry: RawAnswer) => [entry.id, answerOf(entry)]));
  return calls.map((_, id) => {
    const answer = answers.get(id);
    if (answer === undefined) throw new RpcUnavailable('a call was left without an answer');
    return answer;
  });
}

/** `fetch` refuses URLs with user and password, so they go into a header. */
function withoutCredentials(url: string): { address: string; headers: Record<string, string> } {
  const address = new URL(url);
  const { username, password } = address;
  if (username === '' && password === '') return { address: url, headers: {} };
  address.username = '';
  address.password = '';
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { address: address.href, headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` } };
}

type RawAnswer = {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown; readonly data?: unknown } | null;
};

function answerOf(entry: RawAnswer): RpcAnswer {
  const { error } = entry;
  if (error === undefined || error === null) return { ok: true, result: entry.result };
  const { code, message, data } = error;
  return { ok: false, code: typeof code === 'number' ? code : 0, message: String(message), data };
}
