// Completes two errors of Surfpool that lack fields which a real node sends and clients need.

type RpcError = { readonly code?: unknown; readonly message?: string; readonly data?: unknown };
export type RpcBody = { readonly id?: unknown; readonly result?: unknown; readonly error?: RpcError };

const PREFLIGHT_FAILURE = -32_002n;
const NOTHING_RAN = { logs: [], accounts: null, unitsConsumed: 0n, returnData: null };

export function mendAnswer(body: RpcBody): RpcBody {
  const { error } = body;
  if (error?.code !== PREFLIGHT_FAILURE || error.data) return body;
  if (error.message?.includes('did not pass signature verification')) {
    return { ...body, error: { code: -32_003n, message: 'Transaction signature verification failure' } };
  }
  if (error.message?.includes('already been processed')) {
    return { ...body, error: { ...error, data: { err: 'AlreadyProcessed', ...NOTHING_RAN } } };
  }
  return body;
}
