// From a chosen offer to a signed header. The authorization is fixed and counted before it is signed.
import { type Hex, typedData } from '@svc-pay/protocol';
import { PAYMENT_SIGNATURE_HEADER, V1_PAYMENT_HEADER } from '@svc-pay/protocol/x402';
import { hexOf, type Ports } from '../ports.ts';
import { AgentPayError } from './agent-error.ts';
import type { ChosenOffer } from './choose-offer.ts';
import type { SellerChallenge } from './read-challenge.ts';
import { base64FromJson, isRecord } from './read-json.ts';
import type { AgentRequest } from './request.ts';
import { type AgentPayment, dayOf } from './spend-book.ts';

/** Signs EIP-712 typed data. Accounts of viem are such signers. */
export type AgentSigner = {
  readonly address: Hex;
  readonly signTypedData: (data: {
    readonly domain: Record<string, unknown>;
    readonly types: Record<string, unknown>;
    readonly primaryType: string;
    readonly message: Record<string, unknown>;
  }) => Promise<string>;
};

const PAYMENT_IDENTIFIER = 'payment-identifier';

/** The reservation: everything about the payment except its signature. */
export function draftPayment(
  { url: { host }, isKeyed, requestHash }: AgentRequest,
  challenge: SellerChallenge,
  offer: ChosenOffer,
  { payer, ports }: { readonly payer: string; readonly ports: Pick<Ports, 'nowMs' | 'randomBytes'> },
): AgentPayment {
  const nowMs = ports.nowMs();
  const id = hexOf(ports.randomBytes(16));
  return {
    id,
    stage: 'reserved',
    isKeyed,
    requestHash,
    host,
    day: dayOf(nowMs),
    units: offer.units.toString(),
    network: offer.network,
    chainId: offer.chainId,
    asset: offer.asset,
    domain: offer.domain,
    primaryType: offer.primaryType,
    authorization: {
      from: payer,
      to: offer.payTo,
      value: offer.amountAtomic,
      validAfter: '0',
      validBefore: String(Math.floor(nowMs / 1_000) + offer.windowSeconds),
      nonce: offer.nonce ?? `0x${hexOf(ports.randomBytes(32))}`,
    },
    envelope: envelopeOf(challenge, offer, id),
    headerName: challenge.version === 1 ? V1_PAYMENT_HEADER : PAYMENT_SIGNATURE_HEADER,
    atMs: nowMs,
  };
}

function envelopeOf({ version, resource, extensions }: SellerChallenge, offer: ChosenOffer, id: string) {
  if (version === 1) return { x402Version: 1, scheme: 'exact', network: offer.networkName };
  return {
    x402Version: 2,
    accepted: offer.raw,
    ...(isRecord(resource) && { resource }),
    ...(isRecord(extensions) && { extensions: withIdentifier(extensions, id) }),
  };
}

/** A seller that keeps answers by identifier gives the same answer to the same payment. */
function withIdentifier(extensions: Readonly<Record<string, unknown>>, id: string) {
  const declared = extensions[PAYMENT_IDENTIFIER];
  const info = isRecord(declared) ? declared['info'] : undefined;
  if (!isRecord(declared) || !isRecord(info)) return extensions;
  return { ...extensions, [PAYMENT_IDENTIFIER]: { ...declared, info: { ...info, id: `pay_${id}` } } };
}

export async function signPayment(signer: AgentSigner, payment: AgentPayment): Promise<string> {
  const { domain, chainId, asset, authorization, primaryType, envelope } = payment;
  const { from, to, nonce } = authorization as { from: Hex; to: Hex; nonce: Hex };
  const data = typedData(
    { ...domain, chainId, verifyingContract: asset as Hex },
    { primaryType, message: { ...authorization, from, to, nonce } },
  );
  let signature: string;
  try {
    signature = await signer.signTypedData({
      domain: data.domain,
      types: { [primaryType]: data.types[primaryType] },
      primaryType,
      message: {
        ...authorization,
        value: BigInt(authorization.value),
        validAfter: BigInt(authorization.validAfter),
        validBefore: BigInt(authorization.validBefore),
      },
    });
  } catch (cause) {
    throw new AgentPayError('signer_failed', { cause });
  }
  if (typeof signature !== 'string' || !/^0x(?:[0-9a-fA-F]{2}){64,2048}$/.test(signature))
    throw new AgentPayError('signer_failed', { reason: 'the signature is no hex text' });
  return base64FromJson({ ...envelope, payload: { authorization, signature } });
}
