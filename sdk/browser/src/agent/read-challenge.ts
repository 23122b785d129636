// The 402 of a seller, version 2 by its header or version 1 by its body.
import { PAYMENT_REQUIRED_HEADER, type ReadX402Terms, readTerms } from '@svc-pay/protocol/x402';
import { AgentPayError } from './agent-error.ts';
import type { ExchangeOptions } from './exchange.ts';
import { isRecord, jsonFromBase64, jsonFromBody, MAX_CHALLENGE_CHARACTERS } from './read-json.ts';

type SellerOffer = {
  /** As the seller wrote it: version 2 sends it back unchanged. */
  readonly raw: unknown;
  readonly read: ReadX402Terms;
};

export type SellerChallenge = {
  readonly version: 1 | 2;
  /** Caps of SVC Pay's up-to: signed like an exact payment of the cap, and counted as one. */
  readonly isOwnUpto: boolean;
  readonly offers: readonly SellerOffer[];
  /** As the seller wrote it, version 2. */
  readonly resource: unknown;
  readonly extensions: unknown;
  readonly error: string | undefined;
};

/** More offers than any seller makes; the rest is not read. */
const MAX_OFFERS = 32;

export async function readChallenge(
  response: Response,
  { ports, timeoutMs }: ExchangeOptions,
): Promise<SellerChallenge> {
  const header = response.headers.get(PAYMENT_REQUIRED_HEADER);
  const value = header === null ? await readBody(response, { ports, timeoutMs }) : jsonFromBase64(header);
  if (header !== null) void response.body?.cancel().catch(() => undefined);
  // The body of a 402 has version 1, or a cap of SVC Pay's own up-to, which is never in the header.
  const isOwnUpto = header === null && isRecord(value) && value['x402Version'] === 2;
  const version = header === null && !isOwnUpto ? 1 : 2;
  if (!isRecord(value) || value['x402Version'] !== version || !Array.isArray(value['accepts']))
    throw new AgentPayError('challenge_unreadable', { reason: header === null ? 'body' : PAYMENT_REQUIRED_HEADER });
  const { accepts, resource, extensions, error } = value;
  return {
    version,
    isOwnUpto,
    offers: (accepts as unknown[])
      .slice(0, MAX_OFFERS)
      .map((raw, index) => ({ raw, read: readTerms(version, raw, `accepts.${index}`) })),
    resource,
    extensions,
    error: typeof error === 'string' ? error.slice(0, 200) : undefined,
  };
}

async function readBody(response: Response, { ports, timeoutMs }: ExchangeOptions): Promise<unknown> {
  const [read, late] = [new AbortController(), new AbortController()];
  void ports.sleep(timeoutMs, read.signal).then(() => late.abort());
  try {
    return await jsonFromBody(response, MAX_CHALLENGE_CHARACTERS, late.signal);
  } finally {
    read.abort();
  }
}
