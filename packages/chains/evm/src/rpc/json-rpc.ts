// JSON-RPC over HTTP: many calls in one request, to a healthy endpoint of the network.
import { createEndpointPool, type PoolOptions } from './endpoint-pool.ts';
import type { JsonRpc } from './rpc-call.ts';

export { type JsonRpc, type RpcAnswer, type RpcCall, RpcUnavailable } from './rpc-call.ts';
export type JsonRpcOptions = PoolOptions;

export function createJsonRpc(options: JsonRpcOptions): JsonRpc {
  return createEndpointPool(options).read;
}

/** Every endpoint by itself, for answers that are needed node by node. */
export function createEndpoints(options: JsonRpcOptions): readonly [JsonRpc, ...JsonRpc[]] {
  return createEndpointPool(options).endpoints;
}
