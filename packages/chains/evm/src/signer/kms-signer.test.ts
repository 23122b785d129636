// Vectors in the forms that AWS KMS returns (SubjectPublicKeyInfo, DER signatures), recorded with a local key: no key
// service was called.
import { generateKeyPairSync } from 'node:crypto';
import { bytesToHex, numberToBytes, recoverTransactionAddress } from 'viem';
import { expect, test } from 'vitest';
import { signTransaction } from '../send/sign-transaction.ts';
import { createKmsSigner, type KeyService } from './kms-signer.ts';
import { createLocalSigner } from './local-signer.ts';
import { secp256k1 } from './secp256k1.ts';

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));

/** Signed with the private key 0x1111…11. KMS may return `highS`; `lowS` is the equivalent signature with a low s. */
const RECORDED = {
  spki: '3056301006072a8648ce3d020106052b8104000a034200044f355bdcb7cc0af728ef3cceb9615d90684bb5b2ca5f859ab0f0b704075871aa385b6b1b8ead809ca67454d9683fcf2ba03456d6fe2c4abe2b07f0fbdbb2f1c1',
  digest: '3d96a458120e68868ccca6bad66be3fc8df4627a6b7372d69b98d3ba7688774d',
  highS:
    '3046022100a96a0f4793435b8ebd22d70dff6211cc4399012b2990fc1b1e12291e3bb29d030221009db5c270a63c18595b35c610b48cda4612eb65f0da82c3060e509ea0bb2c4235',
  lowS: '3045022100a96a0f4793435b8ebd22d70dff6211cc4399012b2990fc1b1e12291e3bb29d030220624a3d8f59c3e7a6a4ca39ef4b7325b8a7c376f5d4c5dd35b181bfec1509ff0c',
};
const serviceOf = (der: string): KeyService => ({
  readPublicKey: async () => bytes(RECORDED.spki),
  sign: async () => bytes(der),
});

test('the address is that of the public key', async () => {
  const signer = await createKmsSigner(serviceOf(RECORDED.lowS));
  expect(signer.address).toBe(createLocalSigner(new Uint8Array(32).fill(0x11)).address);
});

test('either spelling of s becomes the low one, with the parity that recovers the key', async () => {
  const high = await (await createKmsSigner(serviceOf(RECORDED.highS))).signDigest(bytes(RECORDED.digest));
  const low = await (await createKmsSigner(serviceOf(RECORDED.lowS))).signDigest(bytes(RECORDED.digest));
  expect(high).toEqual(low);
  expect(BigInt(low.s)).toBeLessThan(2n ** 255n);
});

test('a signature of another key, or over something else, is refused', async () => {
  const signer = await createKmsSigner(serviceOf(RECORDED.lowS));
  await expect(signer.signDigest(new Uint8Array(32).fill(7))).rejects.toThrow(
    'did not sign the digest with the key of',
  );
});

test('a key of another curve is refused, and so is nonsense', async () => {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  for (const spki of [publicKey.export({ type: 'spki', format: 'der' }), Buffer.from('00', 'hex')]) {
    await expect(createKmsSigner({ ...serviceOf(RECORDED.lowS), readPublicKey: async () => spki })).rejects.toThrow(
      'not a secp256k1 key',
    );
  }
});

test('a hundred transactions signed by such a service come from its address', async () => {
  const key = new Uint8Array(32).fill(0x22);
  let flipped = false;
  const signer = await createKmsSigner({
    readPublicKey: async () =>
      Buffer.concat([bytes(RECORDED.spki).subarray(0, 23), secp256k1.publicKeyCreate(key, false)]),
    // Every second signature has the high s.
    sign: async (digest) => {
      const { signature } = secp256k1.ecdsaSign(digest, key);
      flipped = !flipped;
      const high = ORDER - BigInt(bytesToHex(signature.slice(32)));
      return secp256k1.signatureExport(
        flipped ? Buffer.concat([signature.slice(0, 32), numberToBytes(high, { size: 32 })]) : signature,
      );
    },
  });
  for (let nonce = 0n; nonce < 100n; nonce += 1n) {
    const { raw } = await signTransaction(signer, {
      chainId: 8_453,
      nonce,
      call: { to: `0x${'ab'.repeat(20)}`, data: '0x1234', gas: 600_000n },
      fees: { maxFeePerGas: 30n, maxPriorityFeePerGas: 2n },
    });
    const sender = await recoverTransactionAddress({ serializedTransaction: bytesToHex(raw) as `0x02${string}` });
    expect(sender.toLowerCase()).toBe(signer.address);
  }
});
