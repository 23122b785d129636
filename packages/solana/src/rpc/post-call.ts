// One question to one node. Trouble on the way throws `ChainUnavailable`; what the node itself refuses is an answer.
import { ChainUnavailable } from '@svc-pay/core';
import { parseExact, printExact } from './exact-json.ts';

type RpcAnswer =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly code: bigint; readonly message: string; readonly data: unknown };

export type AskNode = (method: string, params?: readonly unknown[]) => Promise<RpcAnswer>;

/** `url` may carry a provider's key: it never appears in what is thrown. */
export function askNodeAt(url: string, timeoutMs: number): AskNode {
  return async (method, params = []) => {
    const text = await post(url, printExact({ jsonrpc: '2.0', id: 1, method, params }), timeoutMs, method);
    const { result, error } = readBody(text, method);
    if (error === undefined) return { ok: true, result };
    return { ok: false, code: error.code ?? 0n, message: error.message ?? '', data: error.data ?? null };
  };
}

type Body = {
  readonly result?: unknown;
  readonly error?: { readonly code?: bigint; readonly message?: string; readonly data?: unknown };
};

async function post(url: string, body: string, timeoutMs: number, method: string): Promise<string> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (response.ok) return await response.text();
    throw new ChainUnavailable(`${method}: HTTP ${response.status}`);
  } catch (problem) {
    if (problem instanceof ChainUnavailable) throw problem;
    throw new ChainUnavailable(`${method}: ${problem instanceof Error ? problem.name : 'no answer'}`);
  }
}

function readBody(text: string, method: string): Body {
  try {
    const body = parseExact(text);
    if (typeof body === 'object' && body !== null && ('result' in body || 'error' in body)) return body as Body;
  } catch {
    // Not JSON: a proxy's error page, or half an answer.
  }
  throw new ChainUnavailable(`${method}: not a JSON-RPC answer`);
}
