// What the API asks of chains: it verifies, and sends nothing. Reads of concurrent requests share round trips.
import type { AuthorizationVerdict, CreateIntentPorts, SettlePorts } from '@svc-pay/core';
import {
  createJsonRpc,
  gatherCalls,
  type JsonRpc,
  readPermitNonce,
  uniquePartOf,
  verifyOnChain,
} from '@svc-pay/evm/verify';
import type { Hex, NetworkId } from '@svc-pay/protocol';

export type RpcUrls = ReadonlyMap<string, readonly [string, ...string[]]>;

export type ChainReadOptions = {
  readonly rpcUrls: RpcUrls;
  readonly timeoutMs: number;
  /** Told why a chain could not be asked. */
  readonly onProblem: (network: NetworkId, problem: unknown) => void;
};

export type ChainReads = Pick<SettlePorts, 'verifyAuthorization' | 'uniquePartOf'> &
  Pick<CreateIntentPorts, 'permitNonceOf'>;

/** Long enough to meet the requests of the same moment, short enough that nobody notices. */
const GATHER = { waitMs: 2, maxCalls: 100 };
/** A new intent does not wait longer for a hint that the payer's wallet can look up itself. */
const HINT_TIMEOUT_MS = 1_000;

export function createChainReads({ rpcUrls, timeoutMs, onProblem }: ChainReadOptions): ChainReads {
  const nodes = new Map<string, JsonRpc>();
  const hints = new Map<string, JsonRpc>();
  for (const [network, urls] of rpcUrls) {
    nodes.set(network, gatherCalls(createJsonRpc({ urls, timeoutMs }), GATHER));
    const hintTimeoutMs = Math.min(timeoutMs, HINT_TIMEOUT_MS);
    hints.set(network, gatherCalls(createJsonRpc({ urls: [urls[0]], timeoutMs: hintTimeoutMs }), GATHER));
  }
  return {
    uniquePartOf,
    async verifyAuthorization(terms): Promise<AuthorizationVerdict> {
      const { network } = terms.acceptance;
      const rpc = nodes.get(network);
      if (rpc === undefined) return { ok: false, code: 'chain_unavailable' };
      const verdict = await verifyOnChain(rpc, terms);
      if (verdict.ok) return { ok: true, kind: verdict.signed.kind, byContract: verdict.byContract };
      if (verdict.code === 'chain_unavailable') onProblem(network, verdict.problem);
      return { ok: false, code: verdict.code };
    },
    async permitNonceOf(token, owner) {
      const rpc = hints.get(token.network);
      try {
        return rpc === undefined ? undefined : await readPermitNonce(rpc, token.address, owner as Hex);
      } catch (problem) {
        onProblem(token.network, problem);
        return undefined;
      }
    },
  };
}
