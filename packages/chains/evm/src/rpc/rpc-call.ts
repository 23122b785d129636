// JSON-RPC: a result or an error of the node is an answer. A failure between this process and the node throws, because
// nothing is known then.

export type RpcCall = { readonly method: string; readonly params: readonly unknown[] };

export type RpcAnswer =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly code: number; readonly message: string; readonly data: unknown };

/** Answers in the order of the calls. Throws `RpcUnavailable` when no endpoint answered the whole batch. */
export type JsonRpc = (calls: readonly RpcCall[]) => Promise<readonly RpcAnswer[]>;

export class RpcUnavailable extends Error {
  override readonly name = 'RpcUnavailable';
}

/** A number as nodes write it, 0x-hex of 256 bits at most; undefined when the value is something else. */
export function readQuantity(value: unknown): bigint | undefined {
  return typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value) ? BigInt(value) : undefined;
}
