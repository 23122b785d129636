// Binds an up-to intent to the route that offered it. Anybody with the publishable key can make an up-to intent of the
// account, with any cap; only one with this tag is taken, as only the holder of the secret key can write it.

export type OfferTags = {
  readonly tagOf: (offer: TaggedOffer) => Promise<string>;
  /** In constant time. */
  readonly isTagOf: (offer: TaggedOffer, tag: string) => Promise<boolean>;
};

type TaggedOffer = {
  readonly paymentIntentId: string;
  readonly method: string;
  readonly url: string;
  /** Decimal text. */
  readonly cap: string;
};

const ALGORITHM = { name: 'HMAC', hash: 'SHA-256' } as const;
const LABEL = 'svc-pay x402 up-to offer';

export function offerTags(secretKey: string): OfferTags {
  const utf8 = new TextEncoder();
  let imported: ReturnType<typeof crypto.subtle.importKey> | undefined;
  const key = () => {
    imported ??= crypto.subtle.importKey('raw', utf8.encode(secretKey), ALGORITHM, false, ['sign', 'verify']);
    return imported;
  };
  const textOf = ({ paymentIntentId, method, url, cap }: TaggedOffer) =>
    utf8.encode([LABEL, paymentIntentId, method, new URL(url).pathname, cap].join('\n'));
  return {
    tagOf: async (offer) => hexOf(new Uint8Array(await crypto.subtle.sign('HMAC', await key(), textOf(offer)))),
    isTagOf: async (offer, tag) => {
      const bytes = bytesOf(tag);
      return bytes !== undefined && crypto.subtle.verify('HMAC', await key(), bytes, textOf(offer));
    },
  };
}

const hexOf = (bytes: Uint8Array) => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

function bytesOf(hex: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[0-9a-f]{64}$/.test(hex)) return undefined;
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
