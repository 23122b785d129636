// Posts calls to one node. A failure on the way throws `ChainUnavailable`; a refusal of the node is an answer.
import { ChainUnavailable } from '@svc-pay/core';
import { isSuccess, postBody } from '@svc-pay/runtime/http/post-body';
import { batchCalls } from './batch-calls.ts';
import { type AskNode, NodeRefusedRequest } from './rpc-answer.ts';

export type { AskNode } from './rpc-answer.ts';

/** Posts a body and returns the answer's text. `name` tells what is asked, in errors. */
export type PostText = (body: string, name: string) => Promise<string>;

/** `url` may contain a provider's key: it never appears in an error. */
export function askNodeAt(url: string, timeoutMs: number): AskNode {
  return batchCalls((body, name) => post(url, body, timeoutMs, name));
}

/** Of a whole batch, whose parts are some kilobytes each. */
const MOST_ANSWER_BYTES = 32 * 1024 * 1024;
/** HTTP statuses of a node that does not take the body as it is. */
const REFUSED: ReadonlySet<number> = new Set([400, 405, 413, 415, 422]);

async function post(url: string, body: string, timeoutMs: number, name: string): Promise<string> {
  const { status, text } = await postBody(url, body, { timeoutMs, mostBytes: MOST_ANSWER_BYTES }).catch(
    (problem: unknown) => {
      const { code, name: word } = problem as NodeJS.ErrnoException;
      throw new ChainUnavailable(`${name}: ${code ?? word}`);
    },
  );
  if (isSuccess(status)) return text;
  const problem = `${name}: HTTP ${status}`;
  throw REFUSED.has(status) ? new NodeRefusedRequest(problem) : new ChainUnavailable(problem);
}
