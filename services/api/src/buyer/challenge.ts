// The challenge of a 402 in the words of stock x402, beside the interface's own body.
import { type Caller, clientSecretOf, type Intent, offeredTermsNow, type PayableOwner } from '@svc-pay/core';
import type { PaymentRequired } from '@svc-pay/protocol';
import type { Id } from '@svc-pay/protocol/ids';
import {
  challengeOf,
  challengeV1Of,
  type OfferedResource,
  type OfferedTerms,
  offeredTermsOf,
  type X402Challenge,
  type X402ChallengeV1,
} from '@svc-pay/protocol/x402';
import type { ApiPorts } from '../ports.ts';

/** Where an intent's owner asks for its status. */
export const statusPath = (intentId: string): string => `/sdk/public/payments/intents/${intentId}`;
export const payPath = (intentId: string): string => `/pay/${intentId}`;

export const encodeHeader = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64');

/** Proxies refuse answers whose headers are larger than a buffer of theirs, 8 KiB where it is not 4. */
const MAX_CHALLENGE_CHARACTERS = 7_000;
const MAX_DESCRIPTION_CHARACTERS = 256;
const MAX_RESOURCE_CHARACTERS = 512;

/** Headers of a new intent's 402; none where no stock client could pay it. */
export function challengeHeaders(
  { paymentIntentId, accepts }: PaymentRequired,
  baseUrl: string,
  pepper: Uint8Array,
  owner: PayableOwner,
): Readonly<Record<string, string>> {
  const [first] = accepts;
  if (first?.scheme !== 'exact') return {};
  const resource = resourceOf(paymentIntentId, baseUrl, first);
  const required = encodeChallenge(
    accepts.flatMap((acceptance) => offeredTermsOf(acceptance) ?? []),
    resource,
  );
  if (required === undefined) return {};
  // The address has a secret that pays: with live money it is given over TLS only.
  if (owner.mode === 'live' && !baseUrl.startsWith('https://')) return { 'payment-required': required };
  const secret = clientSecretOf(pepper, owner, paymentIntentId as Id<'paymentIntent'>);
  return {
    'payment-required': required,
    'x-svc-pay-url': `${baseUrl}${payPath(paymentIntentId)}?client_secret=${secret}`,
  };
}

export type StoredChallenge = {
  /** Undefined where no acceptance can be paid by a stock client. */
  readonly header: string | undefined;
  readonly v1: X402ChallengeV1;
};

/** The challenge of an intent as stored; `reason` says why the payment before was refused. */
export async function loadChallenge(
  ports: Pick<ApiPorts, 'loadAcceptances' | 'families' | 'clock'>,
  caller: Caller,
  intent: Pick<Intent, 'id' | 'resource' | 'description' | 'mimeType'>,
  baseUrl: string,
  reason: string,
): Promise<StoredChallenge> {
  const acceptances = await ports.loadAcceptances(caller, intent.id);
  const offered = await offeredTermsNow(ports, { caller, intentId: intent.id }, acceptances);
  const resource = resourceOf(intent.id, baseUrl, intent);
  return { header: encodeChallenge(offered, resource, reason), v1: challengeV1Of(offered, resource, reason) };
}

type Described = { readonly [name in 'resource' | 'description' | 'mimeType']?: string | null | undefined };

/** A merchant's resource may be any text of any length; stock clients want a URL, in a header that fits. */
function resourceOf(intentId: string, baseUrl: string, described: Described): OfferedResource {
  const { resource, description = null, mimeType = null } = described;
  const short = description !== null && description.length <= MAX_DESCRIPTION_CHARACTERS ? description : null;
  const isUrl = resource && resource.length <= MAX_RESOURCE_CHARACTERS && URL.canParse(resource);
  const url = isUrl ? resource : `${baseUrl}${statusPath(intentId)}`;
  return { url, description: short, mimeType };
}

/** As many acceptances as fit. */
function encodeChallenge(
  offered: readonly OfferedTerms[],
  resource: OfferedResource,
  error?: string,
): string | undefined {
  const challenge = challengeOf(offered, resource, error);
  if (challenge === undefined) return undefined;
  const encoded = encodeHeader(challenge);
  return encoded.length <= MAX_CHALLENGE_CHARACTERS ? encoded : encodeFitting(challenge);
}

function encodeFitting({ accepts, ...rest }: X402Challenge): string | undefined {
  for (let count = accepts.length - 1; count > 0; count -= 1) {
    const encoded = encodeHeader({ ...rest, accepts: accepts.slice(0, count) });
    if (encoded.length <= MAX_CHALLENGE_CHARACTERS) return encoded;
  }
  return undefined;
}
