// Chain reads of the API: it verifies and sends nothing. Concurrent requests share round trips.
import type { AuthorizationVerdict, CreateIntentPorts, SettlePorts } from '@svc-pay/core';
import type { Hex, NetworkId } from '@svc-pay/protocol';
import { coalesceRpcCalls } from '../rpc/coalesce-rpc-calls.ts';
import { createJsonRpc, type JsonRpc } from '../rpc/json-rpc.ts';
import { askPermitNonce, readUint } from './chain-questions.ts';
import { uniquePartOf } from './unique-part.ts';
import { verifyOnChain } from './verify-on-chain.ts';

export type RpcUrls = ReadonlyMap<string, readonly [string, ...string[]]>;

export type ChainReadOptions = {
  readonly rpcUrls: RpcUrls;
  readonly timeoutMs: number;
  /** Called with the reason why a chain could not be asked. */
  readonly onProblem: (network: NetworkId, problem: unknown) => void;
};

export type ChainReads = Pick<SettlePorts, 'verifyAuthorization' | 'uniquePartOf'> &
  Pick<CreateIntentPorts, 'permitNonceOf'>;

/** Long enough to coalesce concurrent requests, short enough not to be noticed. */
const GATHER = { waitMs: 2, maxCalls: 100 };
/** A new intent waits no longer than this for a hint that the payer's wallet can look up itself. */
const HINT_TIMEOUT_MS = 1_000;

export function createChainReads({ rpcUrls, timeoutMs, onProblem }: ChainReadOptions): ChainReads {
  const nodes = new Map<string, JsonRpc>();
  const hints = new Map<string, JsonRpc>();
  for (const [network, urls] of rpcUrls) {
    nodes.set(network, coalesceRpcCalls(createJsonRpc({ urls, timeoutMs }), GATHER));
    const hintTimeoutMs = Math.min(timeoutMs, HINT_TIMEOUT_MS);
    hints.set(network, coalesceRpcCalls(createJsonRpc({ urls: [urls[0]], timeoutMs: hintTimeoutMs }), GATHER));
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

/** The nonce that the token expects in the owner's next permit. Throws when the chain cannot be asked. */
async function readPermitNonce(rpc: JsonRpc, token: string, owner: Hex): Promise<bigint> {
  const [answer] = await rpc([askPermitNonce(token, owner)]);
  if (answer === undefined) throw new Error(`the node gave no permit nonce of ${owner} at token ${token}`);
  return readUint(answer);
}
