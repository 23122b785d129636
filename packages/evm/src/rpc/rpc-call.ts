// JSON-RPC: an answer is the node's word, a refusal its error; anything between us and the node throws, because then
// nothing is known.

export type RpcCall = { readonly method: string; readonly params: readonly unknown[] };

export type RpcAnswer =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly code: number; readonly message: string; readonly data: unknown };

/** Answers in the order of the calls. Throws `RpcUnavailable` when no endpoint answered the whole batch. */
export type JsonRpc = (calls: readonly RpcCall[]) => Promise<readonly RpcAnswer[]>;

export class RpcUnavailable extends Error {
  override readonly name = 'RpcUnavailable';
}
