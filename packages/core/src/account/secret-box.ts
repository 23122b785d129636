// Seals secrets at rest: AES-256-GCM under a master key, bound to a context. A ciphertext moved to another account, key
// or purpose does not open.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { MasterKey } from './master-key.ts';
import { openSealed, SEALED_TO_PUBLIC } from './sealing-key.ts';
import { associated, type SecretContext } from './secret-context.ts';

export type SecretBox = {
  readonly seal: (secret: string, context: SecretContext) => Uint8Array;
  /** Throws when the ciphertext was altered, moved, or sealed with a master key that is no longer given. */
  readonly open: (sealed: Uint8Array, context: SecretContext) => string;
};

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + NONCE_BYTES;

/** Number of the master key that opens a ciphertext. */
export function sealedUnder(sealed: Uint8Array): number | undefined {
  return sealed[0] === SEALED_TO_PUBLIC ? sealed[1] : sealed[0];
}

/** The first key seals; all keys open, also what was sealed with the public half of one of them. */
export function createSecretBox(keys: readonly [MasterKey, ...MasterKey[]]): SecretBox {
  for (const { number, bytes } of keys) {
    if (!Number.isInteger(number) || number < 1 || number > 255)
      throw new RangeError('a master key is numbered 1 to 255');
    if (bytes.length !== 32) throw new RangeError('a master key is 32 bytes');
  }
  const [current] = keys;
  return {
    seal(secret, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, current.bytes, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(associated(context));
      const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return Buffer.concat([Uint8Array.of(current.number), nonce, ciphertext, cipher.getAuthTag()]);
    },
    open(sealed, context) {
      const key = keys.find(({ number }) => number === sealedUnder(sealed));
      if (key === undefined || sealed.length < HEAD_BYTES + TAG_BYTES)
        throw new Error(
          `no master key opens the ${context.purpose} of ${context.id} (account ${context.accountId}): configure the key it was sealed with`,
        );
      if (sealed[0] === SEALED_TO_PUBLIC) return openSealed(sealed, context, key);
      const decipher = createDecipheriv(ALGORITHM, key.bytes, sealed.subarray(1, HEAD_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(associated(context));
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(sealed.subarray(HEAD_BYTES, -TAG_BYTES)), decipher.final()]).toString(
        'utf8',
      );
    },
  };
}
