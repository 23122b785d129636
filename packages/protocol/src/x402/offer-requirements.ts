// Our acceptance in the words of x402. One function makes what is issued and what a payment is compared with later, so that
// both can't differ.

import { familyOf, type NetworkId } from '../network/network.ts';
import type { Acceptance } from '../wire/acceptance.ts';
import { caip2NameOf, parseAnyNetwork, v1NameOf } from './network-names.ts';
import type {
  X402Challenge,
  X402ChallengeV1,
  X402Requirements,
  X402RequirementsV1,
  X402Resource,
} from './requirements.ts';

/** What of an acceptance a stock client needs; the stored row and the body of the 402 both have it. */
export type OfferedTerms = Pick<Acceptance, 'scheme' | 'network' | 'maxAmountRequired' | 'payTo'> & {
  readonly asset: string;
  readonly maxTimeoutSeconds: number;
  readonly intentId: string;
  /** EIP-712 domain of the token, on EVM. */
  readonly domain?: { readonly name: string; readonly version: string } | undefined;
  /**
   * What a client builds its own transaction from, on Solana: the relayer that pays the fee, and the memo that names the
   * intent. Undefined where others than `payTo` get a share: a stock client signs one transfer.
   */
  readonly transfer?: { readonly feePayer: string; readonly memo: string } | undefined;
};

/**
 * Requirements of version 2; undefined where no stock client could sign them: an up-to acceptance (the official `upto` is
 * another scheme under the same name), a token that is paid by Permit, and a chain that says neither domain nor transfer.
 * A blockhash is left out: it lives for a minute, and the client asks its own node.
 */
export function requirementsOf(terms: OfferedTerms): X402Requirements | undefined {
  const { scheme, maxAmountRequired: amount, asset, payTo, maxTimeoutSeconds, intentId, domain, transfer } = terms;
  const network = parseAnyNetwork(terms.network);
  if (scheme !== 'exact' || network === undefined) return undefined;
  const signed = domain ?? transfer;
  if (signed === undefined) return undefined;
  const extra = { ...signed, intentId };
  return { scheme, network: caip2NameOf(network), amount, asset, payTo, maxTimeoutSeconds, extra };
}

/** An acceptance as the 402 body has it. */
export function offeredTermsOf(acceptance: Acceptance): OfferedTerms | undefined {
  const { scheme, network, maxAmountRequired, payTo, asset, maxTimeoutSeconds, extra } = acceptance;
  if (asset === undefined || maxTimeoutSeconds === undefined || extra?.intentId === undefined) return undefined;
  const { intentId, name, eip3009Version: version, primaryType, feePayer, memo } = extra;
  const signsTransfer = primaryType === 'TransferWithAuthorization' && name !== undefined && version !== undefined;
  return {
    scheme,
    network,
    maxAmountRequired,
    payTo,
    asset,
    maxTimeoutSeconds,
    intentId,
    ...(signsTransfer && { domain: { name, version } }),
    ...(typeof feePayer === 'string' && typeof memo === 'string' && { transfer: { feePayer, memo } }),
  };
}

/** On Solana the rest of `extra` is fee payer and memo: they change with every answer and stand in the transaction itself. */
export const isExtraInTransaction = (network: NetworkId): boolean => familyOf(network) === 'solana';

export type OfferedResource = {
  readonly url: string;
  readonly description: string | null;
  readonly mimeType: string | null;
};

/** Version 2. Undefined where nothing can be offered. */
export function challengeOf(
  offered: readonly OfferedTerms[],
  resource: OfferedResource,
  error?: string,
): X402Challenge | undefined {
  const accepts = offered.flatMap((terms) => requirementsOf(terms) ?? []);
  if (accepts.length === 0) return undefined;
  return { x402Version: 2, ...(error && { error }), resource: resourceOf(resource), accepts };
}

function resourceOf({ url, description, mimeType }: OfferedResource): X402Resource {
  return { url, ...(description && { description }), ...(mimeType && { mimeType }) };
}

/** Version 1. Acceptances on networks without a version 1 name are left out. */
export function challengeV1Of(
  offered: readonly OfferedTerms[],
  resource: OfferedResource,
  error: string,
): X402ChallengeV1 {
  const accepts = offered.flatMap((terms): X402RequirementsV1[] => {
    const required = requirementsOf(terms);
    const network = required && parseAnyNetwork(required.network);
    const name = network && v1NameOf(network);
    if (required === undefined || name === undefined) return [];
    const { scheme, amount, asset, payTo, maxTimeoutSeconds, extra } = required;
    return [
      {
        scheme,
        network: name,
        maxAmountRequired: amount,
        resource: resource.url,
        description: resource.description ?? '',
        mimeType: resource.mimeType ?? '',
        payTo,
        maxTimeoutSeconds,
        asset,
        extra,
      },
    ];
  });
  return { x402Version: 1, error, accepts };
}
