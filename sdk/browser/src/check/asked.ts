// What was asked for, in the terms that an acceptance is held against.
import { parseAtomic, parseRate, parseUsd, requiredFromUsd, token } from '@svc-pay/money';
import { type CreateIntentRequest, type NetworkId, parseNetwork, type Scheme } from '@svc-pay/protocol';
import { SvcPayError } from '../error/svc-pay-error.ts';
import { KNOWN_TOKENS, type KnownToken } from './known-tokens.ts';
import type { UptoRequest } from './payment-request.ts';

export type Asked = {
  readonly scheme: Scheme;
  readonly network: NetworkId | undefined;
  readonly asset: string | undefined;
  /** One of these; undefined for anybody. */
  readonly payTo: readonly string[] | undefined;
  /** Exactly this much; undefined when only the service knows the price. */
  readonly amountAtomic: bigint | undefined;
  readonly maxAmountAtomic: bigint | undefined;
  readonly maxTimeoutSeconds: number;
};

const LONGEST_WINDOW_SECONDS = { exact: 3_600, upto: 604_800 } as const satisfies Record<Scheme, number>;

/** Throws `invalid_request` for what no service could answer. `pinned`: who may be paid unless the request says it. */
export function askedBy(request: UptoRequest, scheme: Scheme, pinned?: readonly string[]): Asked {
  const { expect = {} } = request;
  const known = knownToken(request.tokenShortcode);
  const chain = expect.network ?? known?.network ?? textOf(request.chainId);
  return {
    scheme,
    network: chain === undefined ? undefined : (parseNetwork(chain) ?? invalid('expect.network')),
    asset: expect.asset ?? known?.asset ?? (request.ledgerCanisterId || undefined),
    payTo: typeof expect.payTo === 'string' ? [expect.payTo] : (expect.payTo ?? pinned),
    amountAtomic: amountOf(request, known),
    maxAmountAtomic: expect.maxAmount === undefined ? undefined : positiveAtomic(expect.maxAmount, 'expect.maxAmount'),
    maxTimeoutSeconds: expect.maxTimeoutSeconds ?? request.maxTimeoutSeconds ?? LONGEST_WINDOW_SECONDS[scheme],
  };
}

export function intentRequestOf(request: UptoRequest, scheme: Scheme): CreateIntentRequest {
  const { expect: _, metadata, ...fields } = request;
  return { ...fields, ...(metadata && { metadata: { ...metadata } }), x402Upto: scheme === 'upto' };
}

function knownToken(shortcode = ''): KnownToken | undefined {
  return Object.hasOwn(KNOWN_TOKENS, shortcode) ? KNOWN_TOKENS[shortcode] : undefined;
}

function amountOf(request: UptoRequest, known: KnownToken | undefined): bigint | undefined {
  const { amount, usdAmount } = request;
  if (amount === undefined && usdAmount === undefined) return invalid('usdAmount');
  const dollars = usdAmount === undefined ? undefined : parseUsd(usdAmount);
  if (dollars !== undefined && (!dollars.ok || dollars.usd === 0n)) return invalid('usdAmount');
  if (amount !== undefined) return positiveAtomic(amount, 'amount');
  if (known?.dollarDecimals === undefined || !dollars?.ok) return undefined;
  const rate = parseRate({
    token: token('dollar', known.dollarDecimals),
    usdPerToken: '1',
    source: 'fixed',
    observedAtMs: 0,
  });
  return rate.ok ? requiredFromUsd(dollars.usd, rate.rate).atomic : undefined;
}

function positiveAtomic(text: string, field: string): bigint {
  const read = parseAtomic(text);
  return read.ok && read.atomic > 0n ? read.atomic : invalid(field);
}

const textOf = (chainId: string | number | undefined): string | undefined =>
  chainId === undefined || chainId === '' ? undefined : String(chainId);

function invalid(field: string): never {
  throw new SvcPayError('invalid_request', { reason: field });
}
