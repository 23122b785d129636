// Opens what a delivery is signed with, at the moment of sending. The signing keys of an account are remembered for a
// second: a switch to another key is followed at once, and a burst asks once.
import {
  type ClaimedDelivery,
  type Clock,
  type DeliverySecrets,
  type DeliveryStore,
  endpointContext,
  endpointSecretBytes,
  type KeyHolder,
  readCustomHeaders,
  type SealedSigningKey,
  type SecretBox,
  type SecretContext,
  secretKeyContext,
  signingKeyAt,
} from '@svc-pay/core';

export type OpenSecrets = {
  /** Loads the keys of everybody in one go; call it before `open`. */
  readonly prepare: (holders: readonly KeyHolder[]) => Promise<void>;
  /** In words what is missing when it can't be signed: that is ours to repair. */
  readonly open: (delivery: ClaimedDelivery) => DeliverySecrets | string;
};

type Remembered = { readonly atMs: number; readonly keys: readonly SealedSigningKey[] };

const REMEMBER_MS = 1_000;
const MOST_REMEMBERED = 10_000;
/** Opening is dear beside a delivery, and secrets seldom change. */
const MOST_OPENED = 10_000;
const nameOf = ({ accountId, mode }: KeyHolder) => `${mode} ${accountId}`;

export function createOpenSecrets(
  store: Pick<DeliveryStore, 'loadSigningKeys'>,
  box: SecretBox,
  clock: Clock,
): OpenSecrets {
  const remembered = new Map<string, Remembered>();
  const openedTexts = new Map<string, string>();
  const openOnce = (sealed: Uint8Array, context: SecretContext): string => {
    const name = `${context.accountId} ${context.id} ${context.purpose} ${Buffer.from(sealed).toString('latin1')}`;
    const known = openedTexts.get(name);
    if (known !== undefined) return known;
    if (openedTexts.size >= MOST_OPENED) openedTexts.clear();
    const text = box.open(sealed, context);
    openedTexts.set(name, text);
    return text;
  };
  return {
    prepare: async (holders) => {
      const nowMs = performance.now();
      if (remembered.size > MOST_REMEMBERED) remembered.clear();
      const unknown = new Map(
        holders
          .filter((holder) => nowMs - (remembered.get(nameOf(holder))?.atMs ?? Number.NEGATIVE_INFINITY) > REMEMBER_MS)
          .map((holder) => [nameOf(holder), holder]),
      );
      if (unknown.size === 0) return;
      const keys = Map.groupBy(await store.loadSigningKeys([...unknown.values()]), nameOf);
      for (const name of unknown.keys()) remembered.set(name, { atMs: nowMs, keys: keys.get(name) ?? [] });
    },
    open: ({ accountId, mode, endpointId, endpoint }) => {
      const key = signingKeyAt(remembered.get(nameOf({ accountId, mode }))?.keys ?? [], clock.nowMs());
      if (key === undefined) return 'the account has no key to sign with';
      try {
        const opened = (sealed: Uint8Array | null, purpose: 'endpoint-secret' | 'endpoint-headers') =>
          sealed === null ? null : openOnce(sealed, endpointContext(accountId, endpointId, purpose));
        const { secretCiphertext, previousSecret, headersCiphertext } = endpoint;
        const overlaps = previousSecret !== null && previousSecret.expiresAtMs > clock.nowMs();
        const endpointSecrets = [secretCiphertext, overlaps ? previousSecret.ciphertext : null]
          .map((sealed) => opened(sealed, 'endpoint-secret'))
          .filter((text) => text !== null)
          .map(endpointSecretBytes)
          .filter((bytes) => bytes !== undefined);
        const headersText = opened(headersCiphertext, 'endpoint-headers');
        const customHeaders = headersText === null ? {} : readCustomHeaders(headersText);
        if (secretCiphertext !== null && endpointSecrets.length < (overlaps ? 2 : 1)) {
          return 'the secret of the endpoint can’t be read';
        }
        if (customHeaders === undefined) return 'the custom headers of the endpoint can’t be read';
        return {
          signingKey: openOnce(key.ciphertext, secretKeyContext(accountId, key.id)),
          endpointSecrets,
          customHeaders,
        };
      } catch {
        return 'no master key opens what the delivery is signed with';
      }
    },
  };
}
