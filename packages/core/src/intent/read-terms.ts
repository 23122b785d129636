// Reads and checks a whole create request before anything is looked up.
import type { CreateIntentRequest } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type { KeyKind } from '../account/api-key.ts';
import type { MerchantSetup } from '../payout/merchant-setup.ts';
import type { TokenSelector } from '../token/select-tokens.ts';
import type { JsonObject } from './intent.ts';
import { type AskedAmount, readAmount } from './read-amount.ts';
import { EXACT_TIMEOUT_SECONDS } from './timeouts.ts';

const MIN_UPTO_TIMEOUT_SECONDS = 300;

export type IntentTerms = {
  readonly asked: AskedAmount;
  readonly selector: TokenSelector;
  readonly upto: boolean;
  readonly maxTimeoutSeconds: number;
  readonly description: string | null;
  readonly resource: string | null;
  readonly mimeType: string | null;
  readonly expectedSender: string | null;
  readonly payerPublicKey: string | null;
  readonly metadata: JsonObject;
};

export type IntentRefusal = {
  readonly ok: false;
  readonly code: ErrorCode;
  readonly param: string | null;
  /** Of this very mistake; absent: the catalogue's sentence. */
  readonly message?: string;
};
export type ReadTerms = ({ readonly ok: true } & IntentTerms) | IntentRefusal;

export function readTerms(request: CreateIntentRequest, merchant: MerchantSetup, kind: KeyKind): ReadTerms {
  const unfit = unfitText(request);
  if (unfit !== undefined) return { ok: false, code: 'malformed_request', param: unfit };
  const amount = readAmount(request);
  if (!amount.ok) return amount;
  const metadata = readMetadata(request.metadata, MAX_METADATA_BYTES[kind]);
  if (!metadata.ok) return { ok: false, code: 'metadata_too_large', param: 'metadata' };
  const upto = request.x402Upto ?? false;
  const maxTimeoutSeconds = upto ? uptoTimeout(request.maxTimeoutSeconds, merchant) : EXACT_TIMEOUT_SECONDS;
  if (maxTimeoutSeconds === undefined)
    return { ok: false, code: 'max_timeout_out_of_range', param: 'maxTimeoutSeconds' };
  return {
    ok: true,
    asked: amount.asked,
    selector: readSelector(request),
    upto,
    maxTimeoutSeconds,
    description: request.description ?? null,
    resource: request.resource ?? null,
    mimeType: request.mimeType ?? null,
    expectedSender: present(request.expectedSenderPrincipal) ?? null,
    payerPublicKey: present(request.publicKey) ?? present(request.payerPublicKey) ?? null,
    metadata: metadata.metadata,
  };
}

function uptoTimeout(asked: number | null | undefined, merchant: MerchantSetup): number | undefined {
  const seconds = asked ?? merchant.uptoDefaultTimeoutSeconds;
  return seconds >= MIN_UPTO_TIMEOUT_SECONDS && seconds <= merchant.uptoMaxTimeoutSeconds ? seconds : undefined;
}

function readSelector(request: CreateIntentRequest): TokenSelector {
  const { chainId } = request;
  return {
    tokenShortcode: present(request.tokenShortcode),
    symbol: present(request.symbol),
    ledgerCanisterId: present(request.ledgerCanisterId),
    chainId: typeof chainId === 'number' ? String(chainId) : present(chainId),
  };
}

/** Older clients send an empty text for a missing value. */
function present(text: string | null | undefined): string | undefined {
  return text === null || text === '' ? undefined : text;
}

// Checks the free texts of a request: bounded length, and no characters that JSON or Postgres can't keep unchanged.

const MAX_CHARACTERS = {
  description: 1_000,
  resource: 2_048,
  mimeType: 255,
  expectedSenderPrincipal: 128,
  publicKey: 64,
  payerPublicKey: 64,
  tokenShortcode: 64,
  symbol: 64,
  ledgerCanisterId: 128,
} as const;

/** A publishable key is public: anybody may store so much with it. */
const MAX_METADATA_BYTES: Readonly<Record<KeyKind, number>> = { publishable: 2 * 1_024, secret: 16 * 1_024 };
const MAX_METADATA_KEYS = 50;
const SERVICE_KEY = /^svc_/;

/** The first field that does not fit, or undefined. */
function unfitText(request: CreateIntentRequest): keyof typeof MAX_CHARACTERS | undefined {
  const names = Object.keys(MAX_CHARACTERS) as (keyof typeof MAX_CHARACTERS)[];
  return names.find((name) => {
    const text = request[name];
    if (text === undefined || text === null) return false;
    return text.length > MAX_CHARACTERS[name] || text.includes('\0') || !text.isWellFormed();
  });
}

type ReadMetadata = { readonly ok: true; readonly metadata: JsonObject } | { readonly ok: false };

/** The service's own keys are dropped from the client's metadata, not refused: clients echo what they were given. */
function readMetadata(given: JsonObject | null | undefined, maxBytes: number): ReadMetadata {
  const metadata = Object.fromEntries(Object.entries(given ?? {}).filter(([key]) => !SERVICE_KEY.test(key)));
  const fits =
    Object.keys(metadata).length <= MAX_METADATA_KEYS &&
    Buffer.byteLength(JSON.stringify(metadata), 'utf8') <= maxBytes;
  return fits ? { ok: true, metadata } : { ok: false };
}
