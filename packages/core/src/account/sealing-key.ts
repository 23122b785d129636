// Seals secrets without the ability to open them. An X25519 pair is derived from each master key; its public half seals
// for the holder of the master key and opens nothing, not even what it sealed itself.
import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import type { MasterKey } from './master-key.ts';
import { associated, type SecretContext } from './secret-context.ts';

/** Public half of the pair: no secret. `number` is that of its master key. */
export type SealingKey = { readonly number: number; readonly bytes: Uint8Array };

export type Sealer = { readonly seal: (secret: string, context: SecretContext) => Uint8Array };

/** First byte of a ciphertext sealed with a public half; master keys are numbered from 1. */
export const SEALED_TO_PUBLIC = 0;

const ALGORITHM = 'aes-256-gcm';
const PUBLIC_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 2 + PUBLIC_BYTES + NONCE_BYTES;
// Fixed prefixes of X25519 keys in PKCS #8 and SPKI.
const PRIVATE_DER = Buffer.from('302e020100300506032b656e04220420', 'hex');
const PUBLIC_DER = Buffer.from('302a300506032b656e032100', 'hex');

export function sealingKeyOf(master: MasterKey): SealingKey {
  return { number: master.number, bytes: rawPublic(privateKeyOf(master)) };
}

export function createSealer({ number, bytes }: SealingKey): Sealer {
  const recipient = publicKey(bytes);
  return {
    seal: (secret, context) => {
      const own = generateKeyPairSync('x25519');
      const ephemeral = rawPublic(own.privateKey);
      const nonce = randomBytes(NONCE_BYTES);
      const key = sharedKey(own.privateKey, recipient, ephemeral, bytes);
      const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(associated(context));
      const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return Buffer.concat([
        Uint8Array.of(SEALED_TO_PUBLIC, number),
        ephemeral,
        nonce,
        ciphertext,
        cipher.getAuthTag(),
      ]);
    },
  };
}

/** Throws when the ciphertext was altered or moved to another context. */
export function openSealed(sealed: Uint8Array, context: SecretContext, master: MasterKey): string {
  if (sealed.length < HEAD_BYTES + TAG_BYTES)
    throw new Error(
      `the ${context.purpose} of ${context.id} (account ${context.accountId}) is too short to be a sealed secret`,
    );
  const privateKey = privateKeyOf(master);
  const ephemeral = sealed.subarray(2, 2 + PUBLIC_BYTES);
  const key = sharedKey(privateKey, publicKey(ephemeral), ephemeral, rawPublic(privateKey));
  const nonce = sealed.subarray(2 + PUBLIC_BYTES, HEAD_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(associated(context));
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  const text = Buffer.concat([decipher.update(sealed.subarray(HEAD_BYTES, -TAG_BYTES)), decipher.final()]);
  return text.toString('utf8');
}

function privateKeyOf({ bytes }: MasterKey): KeyObject {
  const scalar = Buffer.from(hkdfSync('sha256', bytes, new Uint8Array(), 'svc sealing key', 32));
  return createPrivateKey({ key: Buffer.concat([PRIVATE_DER, scalar]), format: 'der', type: 'pkcs8' });
}

function publicKey(raw: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.concat([PUBLIC_DER, raw]), format: 'der', type: 'spki' });
}

function rawPublic(privateKey: KeyObject): Uint8Array {
  return createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(PUBLIC_DER.length);
}

/** Both public halves are part of the derivation, so that a ciphertext belongs to exactly this pair. */
function sharedKey(mine: KeyObject, theirs: KeyObject, ephemeral: Uint8Array, recipient: Uint8Array): Uint8Array {
  const secret = diffieHellman({ privateKey: mine, publicKey: theirs });
  return Buffer.from(hkdfSync('sha256', secret, Buffer.concat([ephemeral, recipient]), 'svc sealed', 32));
}
