// Posts one call to one node. A failure on the way throws `ChainUnavailable`; a refusal of the node is an answer.
import { ChainUnavailable } from '@svc-pay/core';
import { RPC_BODY, readAnswer } from './answer-shapes.ts';
import { parseExact, printExact } from './exact-json.ts';

type RpcAnswer =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly code: bigint; readonly message: string; readonly data: unknown };

export type AskNode = (method: string, params?: readonly unknown[]) => Promise<RpcAnswer>;

/** `url` may contain a provider's key: it never appears in an error. */
export function askNodeAt(url: string, timeoutMs: number): AskNode {
  return async (method, params = []) => {
    const text = await post(url, printExact({ jsonrpc: '2.0', id: 1, method, params }), timeoutMs, method);
    const body = readAnswer(method, RPC_BODY, readJson(text, method));
    if ('result' in body) return { ok: true, result: body.result };
    const { code, message, data = null } = body.error;
    return { ok: false, code, message, data };
  };
}

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

function readJson(text: string, method: string): unknown {
  try {
    return parseExact(text);
  } catch {
    // For example a proxy's error page, or a truncated answer.
    throw new ChainUnavailable(`${method}: the node's answer is not JSON`);
  }
}
