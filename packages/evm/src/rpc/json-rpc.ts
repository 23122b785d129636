// JSON-RPC over HTTP: many calls in one request. An answer is the node's word, a refusal its error; anything between us
// and the node throws, because then nothing is known.

export type RpcCall = { readonly method: string; readonly params: readonly unknown[] };

export type RpcAnswer =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly code: number; readonly message: string; readonly data: unknown };

/** Answers in the order of the calls. Throws `RpcUnavailable` when no endpoint answered the whole batch. */
export type JsonRpc = (calls: readonly RpcCall[]) => Promise<readonly RpcAnswer[]>;

export class RpcUnavailable extends Error {
  override readonly name = 'RpcUnavailable';
}

export type JsonRpcOptions = {
  /** Tried in this order; the next one is asked when one does not answer. */
  readonly urls: readonly [string, ...string[]];
  readonly timeoutMs: number;
};

export function createJsonRpc({ urls, timeoutMs }: JsonRpcOptions): JsonRpc {
  return async (calls) => {
    if (calls.length === 0) return [];
    const problems: unknown[] = [];
    for (const [index, url] of urls.entries()) {
      try {
        return await ask(url, calls, timeoutMs);
      } catch (problem) {
        // The address may carry a provider's key: it is named by its place.
        problems.push(new Error(`endpoint ${index + 1}: ${problem instanceof Error ? problem.name : 'no answer'}`));
      }
    }
    throw new RpcUnavailable('no RPC endpoint answered', { cause: problems });
  };
}

/** Each endpoint on its own, for what must be told node by node. */
export function createEndpoints({ urls, timeoutMs }: JsonRpcOptions): readonly [JsonRpc, ...JsonRpc[]] {
  const [first, ...others] = urls;
  const only = (url: string) => createJsonRpc({ urls: [url], timeoutMs });
  return [only(first), ...others.map(only)];
}

async function ask(url: string, calls: readonly RpcCall[], timeoutMs: number): Promise<readonly RpcAnswer[]> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
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
