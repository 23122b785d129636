// Posts calls to one node. A failure on the way throws `ChainUnavailable`; a refusal of the node is an answer.
import { ChainUnavailable } from '@svc-pay/core';
import { batchCalls } from './batch-calls.ts';
import { type AskNode, NodeRefusedRequest } from './rpc-answer.ts';

export type { AskNode } from './rpc-answer.ts';

/** Posts a body and returns the answer's text. `name` tells what is asked, in errors. */
export type PostText = (body: string, name: string) => Promise<string>;

/** `url` may contain a provider's key: it never appears in an error. */
export function askNodeAt(url: string, timeoutMs: number): AskNode {
  return batchCalls((body, name) => post(url, body, timeoutMs, name));
}

/** HTTP statuses of a node that does not take the body as it is. */
const REFUSED: ReadonlySet<number> = new Set([400, 405, 413, 415, 422]);

async function post(url: string, body: string, timeoutMs: number, name: string): Promise<string> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (response.ok) return await response.text();
    const problem = `${name}: HTTP ${response.status}`;
    await response.body?.cancel();
    throw REFUSED.has(response.status) ? new NodeRefusedRequest(problem) : new ChainUnavailable(problem);
  } catch (problem) {
    if (problem instanceof ChainUnavailable) throw problem;
    throw new ChainUnavailable(`${name}: ${problem instanceof Error ? problem.name : 'no answer'}`);
  }
}
