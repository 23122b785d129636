// The one reader of payments: bodies of x402 version 1 and version 2, and the header of this service's own interface, which
// has version 1's shape and CAIP-2 names. Returns one form or a refusal, and never throws.
import * as z from 'zod/mini';
import { bytesFromBase64 } from '../header/base64.ts';
import { familyOf, type NetworkId } from '../network/network.ts';
import { scheme } from '../wire/acceptance.ts';
import {
  evmPayload,
  type PaymentPayload,
  solanaMessagePayload,
  solanaTransactionPayload,
} from '../wire/payment-header.ts';
import { jsonObject } from '../wire/primitives.ts';
import { parseAnyNetwork } from './network-names.ts';
import { readTerms } from './read-terms.ts';
import { shapeRefusal, type X402Refusal, x402Refusal } from './refusal.ts';
import { type X402Resource, type X402Terms, x402Resource } from './requirements.ts';

/** Longest header that is read: a 2 kB contract-wallet signature in hex, in JSON, in base64, with a margin. */
export const MAX_HEADER_CHARACTERS = 16_384;

export type X402Payment = {
  readonly version: 1 | 2;
  readonly scheme: 'exact' | 'upto';
  readonly network: NetworkId;
  readonly payload: PaymentPayload;
  /** The requirements that the client repeats; only version 2 has them. */
  readonly accepted: X402Terms | undefined;
  readonly resource: X402Resource | undefined;
  readonly extensions: Readonly<Record<string, unknown>> | undefined;
};

export type ReadX402Payment = { readonly ok: true; readonly payment: X402Payment } | X402Refusal;

/** Reads the value of `PAYMENT-SIGNATURE`, `X-PAYMENT` or `paymentHeader`. */
export function readPaymentHeader(encoded: unknown): ReadX402Payment {
  if (typeof encoded !== 'string') return x402Refusal('not_text', '', 'must be text');
  if (encoded.length > MAX_HEADER_CHARACTERS)
    return x402Refusal('too_long', '', `must have at most ${MAX_HEADER_CHARACTERS} characters`);
  const bytes = bytesFromBase64(encoded);
  if (bytes === undefined || bytes.length === 0) return x402Refusal('not_base64', '', 'must be base64');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return x402Refusal('not_utf8', '', 'must be the base64 of UTF-8 text');
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return x402Refusal('not_json', '', 'must be the base64 of a JSON object');
  }
  return readPayment(value);
}

const envelope = z.object({
  x402Version: z.literal([1, 2]),
  accepted: z.optional(z.unknown()),
  scheme: z.optional(z.unknown()),
  network: z.optional(z.unknown()),
  payload: jsonObject,
  resource: z.optional(z.unknown()),
  extensions: z.nullish(jsonObject),
});

export function readPayment(value: unknown): ReadX402Payment {
  const read = envelope.safeParse(value);
  if (!read.success) return shapeRefusal(read.error);
  const { x402Version: version, extensions } = read.data;
  // Version 1 knows no `accepted`, and the interface's own header has none in either version.
  const echoed = version === 2 && read.data.accepted !== undefined && read.data.accepted !== null;
  const accepted = echoed ? readTerms(2, read.data.accepted, 'accepted') : undefined;
  if (accepted?.ok === false) return accepted;
  const named = readNames(read.data, accepted?.terms);
  if (!named.ok) return named;
  const payload = readPayload(named.network, read.data.payload);
  if (!payload.ok) return payload;
  const resource = readResource(read.data.resource);
  if (!resource.ok) return resource;
  return {
    ok: true,
    payment: {
      version,
      scheme: named.scheme,
      network: named.network,
      payload: payload.payload,
      accepted: accepted?.terms,
      resource: resource.resource,
      extensions: extensions ?? undefined,
    },
  };
}

type Names = { readonly ok: true; readonly scheme: 'exact' | 'upto'; readonly network: NetworkId };

/** Scheme and network stand beside the payload, in `accepted`, or in both; then they must be the same. */
function readNames(
  given: { readonly scheme?: unknown; readonly network?: unknown },
  accepted: X402Terms | undefined,
): Names | X402Refusal {
  const names = { scheme: accepted?.scheme, network: accepted?.network };
  if (given.scheme !== undefined || accepted === undefined) {
    const read = scheme.safeParse(given.scheme);
    if (!read.success) return x402Refusal('wrong_shape', 'scheme');
    if (accepted !== undefined && read.data !== accepted.scheme) return contradiction('scheme');
    names.scheme = read.data;
  }
  if (given.network !== undefined || accepted === undefined) {
    if (typeof given.network !== 'string') return x402Refusal('wrong_shape', 'network');
    const network = parseAnyNetwork(given.network);
    if (network === undefined)
      return x402Refusal('unknown_network', 'network', 'names no network that x402 is known on');
    if (accepted !== undefined && network !== accepted.network) return contradiction('network');
    names.network = network;
  }
  return { ok: true, ...names } as Names;
}

const contradiction = (path: string) => x402Refusal('contradiction', path, `differs from accepted.${path}`);

type ReadPayload = { readonly ok: true; readonly payload: PaymentPayload } | X402Refusal;

function readPayload(network: NetworkId, payload: Readonly<Record<string, unknown>>): ReadPayload {
  if ('permit2Authorization' in payload)
    return x402Refusal(
      'not_supported',
      'payload.permit2Authorization',
      'is an authorization of Permit2; sign an EIP-3009 TransferWithAuthorization, in payload.authorization',
    );
  const schema =
    'transaction' in payload
      ? solanaTransactionPayload
      : familyOf(network) === 'evm'
        ? evmPayload
        : solanaMessagePayload;
  const read = schema.safeParse(payload);
  return read.success ? { ok: true, payload: read.data } : shapeRefusal(read.error, 'payload');
}

type ReadResource = { readonly ok: true; readonly resource: X402Resource | undefined } | X402Refusal;

/** The interface's header may have any text here; only version 2's object is read. */
function readResource(value: unknown): ReadResource {
  if (typeof value !== 'object' || value === null) return { ok: true, resource: undefined };
  const read = x402Resource.safeParse(value);
  return read.success ? { ok: true, resource: read.data } : shapeRefusal(read.error, 'resource');
}
