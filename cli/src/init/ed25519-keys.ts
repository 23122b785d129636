// Ed25519 keys as files: the identity of the engine, and Solana relayers.
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { base58 } from './base58.ts';

/** A new identity of the engine: the PEM file that Restate signs its calls with. */
export function newIdentityPem(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** The text for `SVC_ENGINE_IDENTITY_KEYS`, as Restate prints it; undefined if the text is no such key. */
export function identityKeyOf(pem: string): string | undefined {
  try {
    const key = createPrivateKey(pem);
    return key.asymmetricKeyType === 'ed25519' ? `publickeyv1_${base58(publicBytes(key))}` : undefined;
  } catch {
    return undefined;
  }
}

/** A new key in the format of `solana-keygen`: the secret and the public key, as a list of numbers. */
export function newSolanaKeyFile(): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  const secret = Buffer.from(privateKey.export({ format: 'jwk' }).d ?? '', 'base64url');
  return JSON.stringify([...secret, ...publicBytes(privateKey)]);
}

/** The address in such a file. */
export function solanaAddressIn(file: string): string {
  return base58(Uint8Array.from((JSON.parse(file) as number[]).slice(32)));
}

function publicBytes(privateKey: KeyObject): Buffer {
  return Buffer.from(createPublicKey(privateKey).export({ format: 'jwk' }).x ?? '', 'base64url');
}
