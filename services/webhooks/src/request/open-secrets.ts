// Opens the secrets that sign a delivery, at the moment of sending. The signing keys of an account are cached for one
// second: a change of key takes effect quickly, and a burst needs one query.
import {
  type Clock,
  type DeliverySecrets,
  type DeliveryStore,
  endpointContext,
  endpointSecretBytes,
  type KeyHolder,
  type LeasedDelivery,
  readCustomHeaders,
  type SealedSigningKey,
  type SecretBox,
  type SecretContext,
  secretKeyContext,
  signingKeyAt,
} from '@svc-pay/core';

export type OpenSecrets = {
  /** Loads the keys of all holders in one query; call it before `open`. */
  readonly prepare: (holders: readonly KeyHolder[]) => Promise<void>;
  /** Returns a text that names what is missing if the delivery cannot be signed: the operator has to repair it. */
  readonly open: (delivery: LeasedDelivery) => DeliverySecrets | string;
};

type Remembered = { readonly atMs: number; readonly keys: readonly SealedSigningKey[] };

const REMEMBER_MS = 1_000;
const MOST_REMEMBERED = 10_000;
/** Size of the cache of opened secrets: opening is expensive compared to a delivery, and secrets rarely change. */
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
    const text = box.open(sealed, context);
    remember(openedTexts, name, text, MOST_OPENED);
    return text;
  };
  return {
    prepare: async (holders) => {
      const nowMs = performance.now();
      const unknown = new Map<string, KeyHolder>();
      for (const holder of holders) {
        const name = nameOf(holder);
        const known = remembered.get(name);
        // Written again, so that no other holder takes its place before the delivery is signed.
        if (known !== undefined) remember(remembered, name, known, MOST_REMEMBERED);
        if (known === undefined || nowMs - known.atMs > REMEMBER_MS) unknown.set(name, holder);
      }
      if (unknown.size === 0) return;
      const keys = Map.groupBy(await store.loadSigningKeys([...unknown.values()]), nameOf);
      for (const name of unknown.keys())
        remember(remembered, name, { atMs: nowMs, keys: keys.get(name) ?? [] }, MOST_REMEMBERED);
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

/** Makes the entry the newest one; the oldest leave. */
function remember<Value>(memory: Map<string, Value>, name: string, value: Value, most: number): void {
  memory.delete(name);
  memory.set(name, value);
  for (const oldest of memory.keys()) {
    if (memory.size <= most) return;
    memory.delete(oldest);
  }
}
