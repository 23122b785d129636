// Which offer of a seller may be signed, and for each other one why not. The signature gives away what network, asset,
// payTo and amount say; nothing else of the offer is believed.
import { acceptanceExtra, chainIdOf, type Hex, type NetworkId } from '@svc-pay/protocol';
import type { X402Terms } from '@svc-pay/protocol/x402';
import { boundNonceOf } from '../evm/bound-terms.ts';
import type { FindToken } from './agent-tokens.ts';
import type { SellerChallenge } from './read-challenge.ts';
import { isRecord } from './read-json.ts';
import { unitsOf } from './units.ts';

export type ChosenOffer = {
  readonly raw: unknown;
  readonly network: NetworkId;
  /** As the seller names it; version 1 sends it back. */
  readonly networkName: string;
  readonly chainId: number;
  readonly asset: Hex;
  readonly payTo: Hex;
  readonly amountAtomic: string;
  readonly units: bigint;
  readonly windowSeconds: number;
  readonly domain: { readonly name: string; readonly version: string };
  readonly primaryType: 'TransferWithAuthorization' | 'ReceiveWithAuthorization';
  /** Bound to the terms of the seller's intent; undefined where a random one is drawn. */
  readonly nonce: Hex | undefined;
};

export type OfferJudge = {
  readonly findToken: FindToken;
  readonly payer: string;
  readonly maxWindowSeconds: number;
};

export type ChoiceOfOffer =
  | { readonly ok: true; readonly offer: ChosenOffer }
  | { readonly ok: false; readonly reasons: readonly string[] };

/** The cheapest one; of equal ones the first. */
export function chooseOffer({ offers, isOwnUpto }: SellerChallenge, judge: OfferJudge): ChoiceOfOffer {
  const reasons: string[] = [];
  let chosen: ChosenOffer | undefined;
  for (const [index, { raw, read }] of offers.entries()) {
    const judged = read.ok ? judgeOffer(raw, read.terms, isOwnUpto ? 'upto' : 'exact', judge) : read.message;
    if (typeof judged === 'string') reasons.push(`offer ${index + 1}: ${judged}`);
    else if (chosen === undefined || judged.units < chosen.units) chosen = judged;
  }
  if (chosen !== undefined) return { ok: true, offer: chosen };
  return { ok: false, reasons: reasons.length === 0 ? ['no offers'] : reasons };
}

/** The offer, or why it is not signed. */
function judgeOffer(
  raw: unknown,
  terms: X402Terms,
  wanted: X402Terms['scheme'],
  judge: OfferJudge,
): ChosenOffer | string {
  const { scheme, network, asset, payTo, amount, extra } = terms;
  if (scheme !== wanted) return `scheme is not ${wanted}`;
  const chainId = chainIdOf(network);
  if (chainId === undefined) return `network ${network} is not EVM`;
  const token = judge.findToken(network, asset);
  if (token === undefined || !isAddress(asset)) return `asset is no token that the agent knows on ${network}`;
  const method = extra['assetTransferMethod'];
  if (method !== undefined && method !== 'eip3009') return 'assetTransferMethod is not eip3009';
  if (!isAddress(payTo) || /^0x0{40}$/.test(payTo)) return 'payTo is no address';
  if ([asset, judge.payer].some((one) => one.toLowerCase() === payTo.toLowerCase()))
    return 'payTo is the token or the payer';
  const units = unitsOf(BigInt(amount), token.decimals);
  if (units === undefined || units === 0n) return 'amount is zero or beyond counting';
  const said = { name: extra['name'], version: extra['version'] ?? extra['eip3009Version'] };
  const { name = said.name, version = said.version } = token;
  if (typeof name !== 'string' || typeof version !== 'string') return 'extra.name or extra.version is missing';
  // Whoever checks the payment by the offer's domain would refuse it, and it would count as spent.
  if (name !== (said.name ?? name) || version !== (said.version ?? version))
    return 'extra.name or extra.version is not the token’s';
  const bound = boundIn(terms, chainId);
  if (bound === 'refused') return 'extra.svc does not say what its nonce says';
  // Paid to a wallet, a cap would be a price: nothing returns the rest.
  if (scheme === 'upto' && bound?.toProcessor !== true) return 'a cap is signed only to a processor, by extra.svc';
  return {
    raw,
    network,
    networkName: nameIn(raw),
    chainId,
    asset,
    payTo,
    amountAtomic: amount,
    units,
    windowSeconds: Math.min(terms.maxTimeoutSeconds, judge.maxWindowSeconds),
    domain: { name, version },
    primaryType: bound?.toProcessor === true ? 'ReceiveWithAuthorization' : 'TransferWithAuthorization',
    nonce: bound?.nonce,
  };
}

/** The nonce that an SVC Pay seller binds to its intent. */
function boundIn({ network, amount, payTo, asset, extra }: X402Terms, chainId: number) {
  const read = acceptanceExtra.safeParse(extra);
  if (!read.success) return 'refused';
  const acceptance = { scheme: 'exact', network, maxAmountRequired: amount, payTo, asset, extra: read.data } as const;
  try {
    return boundNonceOf(acceptance, chainId);
  } catch {
    return 'refused';
  }
}

const isAddress = (text: string): text is Hex => /^0x[0-9a-fA-F]{40}$/.test(text);

function nameIn(raw: unknown): string {
  const name = isRecord(raw) ? raw['network'] : undefined;
  return typeof name === 'string' ? name : '';
}
