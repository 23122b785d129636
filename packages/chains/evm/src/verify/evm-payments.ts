// Payments on EVM chains, for the API: it offers and verifies, and sends nothing. Concurrent requests share round trips.
import { type OfferedPayment, type PaymentFamily, settlesUpto } from '@svc-pay/core';
import { familyOf, type Hex, type NetworkId } from '@svc-pay/protocol';
import { acceptanceTerms } from '../prepare/acceptance-terms.ts';
import { coalesceRpcCalls } from '../rpc/coalesce-rpc-calls.ts';
import { createJsonRpc, type JsonRpc } from '../rpc/json-rpc.ts';
import { askPermitNonce, readUint } from './chain-questions.ts';
import { uniquePartOf } from './unique-part.ts';
import { verifyOnChain } from './verify-on-chain.ts';

export type RpcUrls = ReadonlyMap<string, readonly [string, ...string[]]>;

export type EvmPaymentOptions = {
  readonly rpcUrls: RpcUrls;
  readonly timeoutMs: number;
  /** Called with the reason why a chain could not be asked. */
  readonly onProblem: (network: NetworkId, problem: unknown) => void;
};

/** Long enough to coalesce concurrent requests, short enough not to be noticed. */
const GATHER = { waitMs: 2, maxCalls: 100 };
/** A new intent waits no longer than this for a hint that the payer's wallet can look up itself. */
const HINT_TIMEOUT_MS = 1_000;

export function createEvmPayments({ rpcUrls, timeoutMs, onProblem }: EvmPaymentOptions): PaymentFamily {
  const nodes = new Map<string, JsonRpc>();
  const hints = new Map<string, JsonRpc>();
  for (const [network, urls] of rpcUrls) {
    nodes.set(network, coalesceRpcCalls(createJsonRpc({ urls, timeoutMs }), GATHER));
    const hintTimeoutMs = Math.min(timeoutMs, HINT_TIMEOUT_MS);
    hints.set(network, coalesceRpcCalls(createJsonRpc({ urls: [urls[0]], timeoutMs: hintTimeoutMs }), GATHER));
  }

  /** Only a payer who is known at creation gets the nonce; other payers ask the token. */
  async function permitNonceFor({ intent, offer: { token } }: OfferedPayment): Promise<bigint | undefined> {
    const owner = intent.expectedSender;
    const rpc = hints.get(token.network);
    if (rpc === undefined || token.signing !== 'Permit' || owner === null || !isEvmAddress(owner)) return undefined;
    try {
      return await readPermitNonce(rpc, token.address, owner);
    } catch (problem) {
      onProblem(token.network, problem);
      return undefined;
    }
  }

  return {
    owns: (network) => familyOf(network) === 'evm',
    carriesUpto: ({ signing }, { processorVersion }) =>
      signing === 'TransferWithAuthorization' && settlesUpto(processorVersion),
    acceptanceTerms: async (offered) => acceptanceTerms(offered, await permitNonceFor(offered)),
    uniquePartOf,
    async verifyAuthorization(terms) {
      const { network } = terms.acceptance;
      const rpc = nodes.get(network);
      if (rpc === undefined) return { ok: false, code: 'chain_unavailable' };
      const verdict = await verifyOnChain(rpc, terms);
      if (!verdict.ok) {
        if (verdict.code === 'chain_unavailable') onProblem(network, verdict.problem);
        return { ok: false, code: verdict.code };
      }
      const { authorization, signature } = terms.header.payload;
      const { signed, byContract } = verdict;
      return { ok: true, signed: { kind: signed.kind, byContract, authorization, signature } };
    },
  };
}

const isEvmAddress = (text: string): text is Hex => /^0x[0-9a-fA-F]{40}$/.test(text);

/** The nonce that the token expects in the owner's next permit. Throws when the chain cannot be asked. */
async function readPermitNonce(rpc: JsonRpc, token: string, owner: Hex): Promise<bigint> {
  const [answer] = await rpc([askPermitNonce(token, owner)]);
  if (answer === undefined) throw new Error(`the node gave no permit nonce of ${owner} at token ${token}`);
  return readUint(answer);
}
