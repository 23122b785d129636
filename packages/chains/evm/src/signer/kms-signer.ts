// A relayer key that never leaves a key service. The service returns a DER signature with a high or low s and without
// the recovery bit: both are resolved here, against the public key.
import { keccak_256 } from '@noble/hashes/sha3.js';
import { secp256k1 } from './secp256k1.ts';
import type { TransactionSigner } from './transaction-signer.ts';

/** The operations that a signer needs of a key service. */
export type KeyService = {
  /** SubjectPublicKeyInfo, DER. */
  readonly readPublicKey: () => Promise<Uint8Array>;
  /** Signs 32 bytes without hashing them again. Returns DER. */
  readonly sign: (digest: Uint8Array) => Promise<Uint8Array>;
};

/** `id-ecPublicKey`, `secp256k1`, and the start of an uncompressed point. */
const SPKI_PREFIX = Buffer.from('3056301006072a8648ce3d020106052b8104000a034200', 'hex');
const POINT_BYTES = 65;

/** Throws when the key is of another type, or the service signs with another key. */
export async function createKmsSigner(service: KeyService): Promise<TransactionSigner> {
  const point = pointIn(await service.readPublicKey());
  const address = `0x${Buffer.from(keccak_256(point.subarray(1)).subarray(12)).toString('hex')}` as const;
  return Object.freeze({
    address,
    signDigest: async (digest: Uint8Array) => {
      const signature = secp256k1.signatureNormalize(secp256k1.signatureImport(await service.sign(digest)));
      const recovery = [0, 1].find((candidate) => isKey(point, signature, candidate, digest));
      if (recovery === undefined) throw new Error(`the key service did not sign the digest with the key of ${address}`);
      const hex = Buffer.from(signature).toString('hex');
      return { r: `0x${hex.slice(0, 64)}`, s: `0x${hex.slice(64)}`, yParity: recovery === 0 ? 0 : 1 } as const;
    },
  });
}

function pointIn(spki: Uint8Array): Uint8Array {
  const bytes = Buffer.from(spki);
  const point = bytes.subarray(SPKI_PREFIX.length);
  const fits = bytes.subarray(0, SPKI_PREFIX.length).equals(SPKI_PREFIX) && point.length === POINT_BYTES;
  if (!fits || !secp256k1.publicKeyVerify(point)) throw new RangeError('not a secp256k1 key');
  return point;
}

function isKey(point: Uint8Array, signature: Uint8Array, recovery: number, digest: Uint8Array): boolean {
  try {
    return Buffer.from(secp256k1.ecdsaRecover(signature, recovery, digest, false)).equals(point);
  } catch {
    return false;
  }
}
