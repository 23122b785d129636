// What was asked for, in the terms that an acceptance is held against.
import { parseAtomic, parseRate, parseUsd, requiredFromUsd, token, type Usd } from '@svc-pay/money';
import { type CreateIntentRequest, type NetworkId, parseNetwork, type Scheme } from '@svc-pay/protocol';
import { SvcPayError } from '../error/svc-pay-error.ts';
import { KNOWN_TOKENS, type KnownToken } from './known-tokens.ts';
import type { IntentToPay, UptoRequest } from './payment-request.ts';

export type Asked = {
  readonly scheme: Scheme;
  readonly network: NetworkId | undefined;
  readonly asset: string | undefined;
  /** One of these; undefined for anybody. */
  readonly payTo: readonly string[] | undefined;
  /** Exactly this much; undefined when only the service knows the price. */
  readonly amountAtomic: bigint | undefined;
  /** So much, give or take one smallest unit, in a token that costs one dollar, whichever is offered. */
  readonly dollars: Usd | undefined;
  readonly maxAmountAtomic: bigint | undefined;
  readonly maxTimeoutSeconds: number;
};

type Named = {
  readonly chain?: string | undefined;
  readonly asset?: string | undefined;
  readonly amountAtomic?: bigint | undefined;
  readonly maxTimeoutSeconds?: number | undefined;
};

const LONGEST_WINDOW_SECONDS = { exact: 3_600, upto: 604_800 } as const satisfies Record<Scheme, number>;

export function isIntentToPay(request: UptoRequest | IntentToPay): request is IntentToPay {
  const { paymentIntentId, clientSecret } = request as Partial<IntentToPay>;
  return paymentIntentId !== undefined || clientSecret !== undefined;
}

/** Throws `invalid_request` for what no service could answer. `pinned`: who may be paid unless the request says it. */
export function askedBy(request: UptoRequest | IntentToPay, scheme: Scheme, pinned?: readonly string[]): Asked {
  const { expect = {} } = request;
  const named = isIntentToPay(request) ? namedByIntent(request) : namedByRequest(request);
  const chain = expect.network ?? named.chain;
  return {
    scheme,
    network: chain === undefined ? undefined : (parseNetwork(chain) ?? invalid('expect.network')),
    asset: expect.asset ?? named.asset,
    payTo: typeof expect.payTo === 'string' ? [expect.payTo] : (expect.payTo ?? pinned),
    amountAtomic: named.amountAtomic,
    dollars: expect.usdAmount === undefined ? undefined : positiveDollars(expect.usdAmount, 'expect.usdAmount'),
    maxAmountAtomic: expect.maxAmount === undefined ? undefined : positiveAtomic(expect.maxAmount, 'expect.maxAmount'),
    maxTimeoutSeconds: expect.maxTimeoutSeconds ?? named.maxTimeoutSeconds ?? LONGEST_WINDOW_SECONDS[scheme],
  };
}

export function intentRequestOf(request: UptoRequest, scheme: Scheme): CreateIntentRequest {
  const { expect: _, metadata, ...fields } = request;
  return { ...fields, ...(metadata && { metadata: { ...metadata } }), x402Upto: scheme === 'upto' };
}

/** The smallest units that so many dollars are, of a token that costs one. */
function atomicOfDollars(dollars: Usd, decimals: number): bigint | undefined {
  const rate = parseRate({ token: token('dollar', decimals), usdPerToken: '1', source: 'fixed', observedAtMs: 0 });
  return rate.ok ? requiredFromUsd(dollars, rate.rate).atomic : undefined;
}

/** Give or take one smallest unit: the service creates intents with both amounts if they differ by that at most. */
export function areDollars(atomic: bigint, dollars: Usd, decimals: number): boolean {
  const exact = atomicOfDollars(dollars, decimals);
  return exact !== undefined && atomic >= exact - 1n && atomic <= exact + 1n;
}

const CLIENT_SECRET = /^(?:test|live)_[\w-]+$/;
const OF_INTENT: ReadonlySet<string> = new Set([
  'paymentIntentId',
  'clientSecret',
  'expect',
] satisfies (keyof IntentToPay)[]);

/** The server said what is paid: what a page says besides would be believed by nobody, so it is refused. */
function namedByIntent(request: IntentToPay): Named {
  const { paymentIntentId, clientSecret } = request;
  if (typeof paymentIntentId !== 'string' || paymentIntentId === '') return invalid('paymentIntentId');
  if (typeof clientSecret !== 'string' || !CLIENT_SECRET.test(clientSecret)) return invalid('clientSecret');
  const other = Object.entries(request).find(([name, value]) => value !== undefined && !OF_INTENT.has(name));
  if (other !== undefined) return invalid(other[0]);
  const { tokenShortcode } = request.expect ?? {};
  const known = knownToken(tokenShortcode);
  // The service does not read it, so a name that is not known here would be held against nothing.
  if (tokenShortcode !== undefined && known === undefined) return invalid('expect.tokenShortcode');
  return { chain: known?.network, asset: known?.asset };
}

function namedByRequest(request: UptoRequest): Named {
  const known = knownToken(request.tokenShortcode);
  return {
    chain: known?.network ?? textOf(request.chainId),
    asset: known?.asset ?? (request.ledgerCanisterId || undefined),
    amountAtomic: amountOf(request, known),
    maxTimeoutSeconds: request.maxTimeoutSeconds,
  };
}

function knownToken(shortcode = ''): KnownToken | undefined {
  return Object.hasOwn(KNOWN_TOKENS, shortcode) ? KNOWN_TOKENS[shortcode] : undefined;
}

function amountOf(request: UptoRequest, known: KnownToken | undefined): bigint | undefined {
  const { amount, usdAmount } = request;
  if (amount === undefined && usdAmount === undefined) return invalid('usdAmount');
  const dollars = usdAmount === undefined ? undefined : positiveDollars(usdAmount, 'usdAmount');
  if (amount !== undefined) return positiveAtomic(amount, 'amount');
  if (known?.dollarDecimals === undefined || dollars === undefined) return undefined;
  return atomicOfDollars(dollars, known.dollarDecimals);
}

function positiveDollars(amount: string | number, field: string): Usd {
  const read = parseUsd(amount);
  return read.ok && read.usd > 0n ? read.usd : invalid(field);
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
