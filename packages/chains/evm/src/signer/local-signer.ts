// A key in this process, kept in a closure only: printing or serialising the signer shows just the address.
import { keccak_256 } from '@noble/hashes/sha3.js';
import { secp256k1 } from './secp256k1.ts';
import type { TransactionSigner } from './transaction-signer.ts';

/** Throws for bytes that are not a key; the message never contains them. */
export function createLocalSigner(privateKey: Uint8Array): TransactionSigner {
  const key = Uint8Array.from(privateKey);
  if (key.length !== 32 || !secp256k1.privateKeyVerify(key)) throw new RangeError('not a private key');
  const point = secp256k1.publicKeyCreate(key, false);
  const address = `0x${Buffer.from(keccak_256(point.subarray(1)).subarray(12)).toString('hex')}` as const;
  return Object.freeze({
    address,
    signDigest: async (digest: Uint8Array) => {
      const { signature, recid } = secp256k1.ecdsaSign(digest, key);
      const hex = Buffer.from(signature).toString('hex');
      return { r: `0x${hex.slice(0, 64)}`, s: `0x${hex.slice(64)}`, yParity: recid === 0 ? 0 : 1 } as const;
    },
  });
}
