// The signature itself: typed data by the rules of the client flow, signed on the right chain or not at all.
import {
  type Acceptance,
  buildSignRequest,
  type EvmPaymentHeader,
  evmPaymentHeader,
  HEADER_X402_VERSION,
  type TypedData,
  typedData,
} from '@svc-pay/protocol';
import { isUnknownMethod } from '../ask/wallet-problem.ts';
import { SvcPayError } from '../error/svc-pay-error.ts';
import { hexOf } from '../ports.ts';
import type { WalletCall } from '../wallet.ts';
import { askWallet } from './ask-wallet.ts';
import { boundNonceOf } from './bound-terms.ts';
import type { Eip1193Provider } from './eip1193.ts';
import { askToken } from './read-token.ts';
import { assertChain } from './switch-network.ts';

export async function signAcceptance(
  provider: Eip1193Provider,
  acceptance: Acceptance,
  { payer, chainId }: { readonly payer: string; readonly chainId: number },
  call: WalletCall,
): Promise<EvmPaymentHeader> {
  const isPermit = acceptance.extra?.primaryType === 'Permit';
  const bound = isPermit ? undefined : boundNonceOf(acceptance, chainId);
  const question = { provider, walletChainId: chainId, acceptance, owner: payer };
  const nonce = isPermit
    ? permitNonce(acceptance, await askToken('nonces', question, call))
    : (bound?.nonce ?? `0x${hexOf(call.ports.randomBytes(32))}`);
  const request = buildSignRequest({ acceptance, payer, nonce, nowSeconds: call.nowSeconds() });
  if (!request.ok) throw new SvcPayError('acceptance_refused', { reason: request.code });
  const data = bound?.toProcessor === true ? asReceive(request.typedData) : request.typedData;

  await assertChain(provider, chainId, call);
  const signature = await askTypedData(provider, { payer, data }, call);
  const header = evmPaymentHeader.safeParse({
    x402Version: HEADER_X402_VERSION,
    scheme: acceptance.scheme,
    network: acceptance.network,
    payload: { authorization: request.authorization, signature },
  });
  if (!header.success) throw new SvcPayError('wallet_failed', { reason: 'signature' });
  return header.data;
}

/** Throws `typed_data_unsupported` where the wallet does not know the method: nobody was asked then, and nothing was signed. */
export async function askTypedData(
  provider: Eip1193Provider,
  { payer, data }: { readonly payer: string; readonly data: TypedData },
  call: WalletCall,
): Promise<string> {
  try {
    const signature = await askWallet(provider, call, {
      method: 'eth_signTypedData_v4',
      params: [payer, JSON.stringify(data)],
      refusedAs: 'signature_refused',
    });
    if (typeof signature === 'string' && /^0x(?:[0-9a-fA-F]{2})+$/.test(signature)) return signature;
  } catch (problem) {
    if (problem instanceof SvcPayError || !isUnknownMethod(problem)) throw problem;
    throw new SvcPayError('typed_data_unsupported', { cause: problem });
  }
  throw new SvcPayError('wallet_failed', { reason: 'signature' });
}

/** The token counts Permits by itself: only its own next number can be executed. What the service says is a second best. */
function permitNonce({ extra }: Acceptance, told: bigint | undefined): string {
  const hint = extra?.permitNonce;
  const nonce = told ?? (hint !== undefined && /^\d{1,78}$/.test(hint) ? BigInt(hint) : undefined);
  if (nonce === undefined) throw new SvcPayError('permit_nonce_unavailable', { retryable: true });
  return `0x${nonce.toString(16).padStart(64, '0')}`;
}

/** The same message under the name that only its receiver may submit. */
function asReceive(data: TypedData): TypedData {
  return data.primaryType === 'Permit'
    ? data
    : typedData(data.domain, { primaryType: 'ReceiveWithAuthorization', message: data.message });
}
