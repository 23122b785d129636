// Payments on EVM chains, for the API: it offers and verifies, and sends nothing. Concurrent requests share round trips.
import {
  type Caller,
  type DirectOffer,
  type OfferedPayment,
  type PayerSignature,
  type PaymentFamily,
  type StoredAcceptance,
  settlesUpto,
  type VerifiedTerms,
} from '@svc-pay/core';
import { familyOf, type Hex, type NetworkId } from '@svc-pay/protocol';
import type { ActivationVerdict, CheckActivation } from '../payout/check-activation.ts';
import { acceptanceTerms } from '../prepare/acceptance-terms.ts';
import { regularOption } from '../regular/regular-option.ts';
import { coalesceRpcCalls } from '../rpc/coalesce-rpc-calls.ts';
import { groupReads } from '../rpc/group-reads.ts';
import { createEndpoints, createJsonRpc, type JsonRpc } from '../rpc/json-rpc.ts';
import { askPermitNonce, readUint } from './chain-questions.ts';
import { uniquePartOf } from './unique-part.ts';
import { type ChainProof, verifyOnChain } from './verify-on-chain.ts';

export type RpcUrls = ReadonlyMap<string, readonly [string, ...string[]]>;

export type EvmPaymentOptions = {
  readonly rpcUrls: RpcUrls;
  readonly timeoutMs: number;
  readonly checkActivation: CheckActivation;
  /** Called with the reason why a chain could not be asked. */
  readonly onProblem: (network: NetworkId, problem: unknown) => void;
};

/** Long enough to coalesce concurrent requests, short enough not to be noticed. */
const GATHER = { waitMs: 2, maxCalls: 192 };
/** A new intent waits no longer than this for a hint that the payer's wallet can look up itself. */
const HINT_TIMEOUT_MS = 1_000;

export function createEvmPayments(options: EvmPaymentOptions): PaymentFamily {
  const { rpcUrls, timeoutMs, checkActivation, onProblem } = options;
  const nodes = new Map<string, JsonRpc>();
  const endpoints = new Map<string, readonly JsonRpc[]>();
  const hints = new Map<string, JsonRpc>();
  for (const [network, urls] of rpcUrls) {
    endpoints.set(network, createEndpoints({ urls, timeoutMs }));
    nodes.set(network, coalesceRpcCalls(groupReads(createJsonRpc({ urls, timeoutMs })), GATHER));
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

  async function isActivated(
    { accountId, mode }: Pick<Caller, 'accountId' | 'mode'>,
    offered: DirectOffer,
  ): Promise<ActivationVerdict> {
    const { network, payoutId: number, asset, wallet, activation } = offered;
    const used = { accountId, mode, network, asset, wallet, number };
    const verdict = await checkActivation(used, activation, async () => endpoints.get(network) ?? []);
    if (!verdict.ok && verdict.code === 'chain_unavailable') onProblem(network, verdict.problem);
    return verdict;
  }

  /** The registry has the payout of a payment through the processor; here a direct one is checked. */
  async function isPayoutOf(caller: Caller, { direct, ...acceptance }: StoredAcceptance): Promise<ActivationVerdict> {
    if (direct === undefined) return { ok: true };
    const { network, payoutId, token, payTo: wallet } = acceptance;
    return isActivated(caller, { network, payoutId, asset: token.address, wallet, activation: direct });
  }

  return {
    checkPayout: async (caller, payout) => (await isActivated(caller, payout)).ok,
    owns: (network) => familyOf(network) === 'evm',
    carriesUpto: ({ signing }, { processorVersion }) =>
      signing === 'TransferWithAuthorization' && settlesUpto(processorVersion),
    acceptanceTerms: async (offered) => acceptanceTerms(offered, await permitNonceFor(offered)),
    regular: {
      namesTransaction: (text) => /^0x[0-9a-fA-F]{64}$/.test(text),
      payToOf: ({ setup, payout }) => (payout.direct === undefined ? setup.processor : payout.merchant),
      optionOf: regularOption,
    },
    uniquePartOf,
    async verifyAuthorization(terms, context) {
      const { network } = terms.acceptance;
      const rpc = nodes.get(network);
      if (rpc === undefined) return { ok: false, code: 'chain_unavailable' };
      const [verdict, activation] = await Promise.all([
        verifyOnChain(rpc, terms),
        isPayoutOf(context.caller, terms.acceptance),
      ]);
      if (!verdict.ok && verdict.code === 'chain_unavailable') {
        onProblem(network, verdict.problem);
        return { ok: false, code: verdict.code };
      }
      // A payment of a payout that may be forged is not even watched.
      if (!activation.ok) {
        const unknown = activation.code === 'chain_unavailable';
        return { ok: false, code: unknown ? activation.code : 'x402_temporarily_unavailable' };
      }
      if (verdict.ok) return { ok: true, signed: signatureOf(terms, verdict) };
      const { code, proof } = verdict;
      return { ok: false, code, ...(proof && { signed: signatureOf(terms, proof) }) };
    },
  };
}

function signatureOf({ header }: VerifiedTerms, proof: ChainProof): PayerSignature {
  const { authorization, signature } = header.payload;
  const { signed, byContract, codeHash, direct, balance } = proof;
  return {
    kind: signed.kind,
    byContract,
    ...(codeHash && { codeHash }),
    authorization,
    signature,
    ...(direct && { direct }),
    balance,
  };
}

const isEvmAddress = (text: string): text is Hex => /^0x[0-9a-fA-F]{40}$/.test(text);

/** The nonce that the token expects in the owner's next permit. Throws when the chain cannot be asked. */
async function readPermitNonce(rpc: JsonRpc, token: string, owner: Hex): Promise<bigint> {
  const [answer] = await rpc([askPermitNonce(token, owner)]);
  if (answer === undefined) throw new Error(`the node gave no permit nonce of ${owner} at token ${token}`);
  return readUint(answer);
}
