// A JSON-RPC call to a node and its answer. A failure on the way is `ChainUnavailable`; a refusal of the node is an answer.
import { ChainUnavailable } from '@svc-pay/core';
import type * as z from 'zod/mini';
import type { RPC_BODY } from './answer-shapes.ts';
import { parseExact, printExact } from './exact-json.ts';

export type SolanaAnswer =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly code: bigint; readonly message: string; readonly data: unknown };

export type AskNode = (method: string, params?: readonly unknown[]) => Promise<SolanaAnswer>;

/** The node refuses this form of request, and may take another. */
export class NodeRefusedRequest extends ChainUnavailable {}

export const callBody = (id: number, method: string, params: readonly unknown[]): string =>
  printExact({ jsonrpc: '2.0', id, method, params });

export function answerOf(body: z.output<typeof RPC_BODY>): SolanaAnswer {
  if ('result' in body) return { ok: true, result: body.result };
  const { code, message, data = null } = body.error;
  return { ok: false, code, message, data };
}

export function parseAnswer(text: string, method: string): unknown {
  try {
    return parseExact(text);
  } catch {
    // For example a proxy's error page, or a truncated answer.
    throw new ChainUnavailable(`${method}: the node's answer is not JSON`);
  }
}
