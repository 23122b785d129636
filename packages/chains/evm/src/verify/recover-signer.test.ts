import fc from 'fast-check';
import { type Hex, recoverAddress, toHex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import { secp256k1 } from '../signer/secp256k1.ts';
import { readSignature } from './read-signature.ts';
import { recoverSigner } from './recover-signer.ts';

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
const privateKey = bytes32.filter((key) => secp256k1.privateKeyVerify(key));

function sign(digest: Uint8Array, key: Uint8Array) {
  const { signature, recid } = secp256k1.ecdsaSign(digest, key);
  return { signature, recid: recid as 0 | 1 };
}
const withV = (signature: Uint8Array, v: number) => Uint8Array.from([...signature, v]);
const signerOf = (digest: Uint8Array, signature: Uint8Array) => {
  const read = readSignature(signature);
  return read && recoverSigner(digest, read);
};

test('the signer is found from every spelling of its signature, as another library finds it', async () => {
  await fc.assert(
    fc.asyncProperty(bytes32, privateKey, async (digest, key) => {
      const { signature, recid } = sign(digest, key);
      const address = privateKeyToAddress(toHex(key)).toLowerCase();
      const compact = Uint8Array.from(signature);
      compact[32] = compact[32]! | (recid << 7);
      for (const spelling of [withV(signature, recid), withV(signature, 27 + recid), compact]) {
        expect(signerOf(digest, spelling)).toBe(address);
      }
      const other = await recoverAddress({ hash: toHex(digest), signature: toHex(withV(signature, 27 + recid)) });
      expect(other.toLowerCase()).toBe(address);
    }),
    { numRuns: 40 },
  );
});

test('another digest, another parity or another key is another signer', () => {
  fc.assert(
    fc.property(bytes32, bytes32, privateKey, (digest, other, key) => {
      fc.pre(Buffer.compare(digest, other) !== 0);
      const { signature, recid } = sign(digest, key);
      const address = privateKeyToAddress(toHex(key)).toLowerCase();
      expect(signerOf(other, withV(signature, recid))).not.toBe(address);
      expect(signerOf(digest, withV(signature, 1 - recid))).not.toBe(address);
    }),
    { numRuns: 40 },
  );
});

describe('refused', () => {
  const digest = new Uint8Array(32).fill(7);
  const key = new Uint8Array(32).fill(9);
  const { signature, recid } = sign(digest, key);
  const s = BigInt(toHex(signature.subarray(32)));
  const highS = Buffer.from((ORDER - s).toString(16).padStart(64, '0'), 'hex');
  const word = (value: bigint) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
  test.each([
    ['the other s of the same signature', Uint8Array.from([...signature.subarray(0, 32), ...highS, 1 - recid])],
    ['an s of zero', Uint8Array.from([...signature.subarray(0, 32), ...word(0n), recid])],
    ['an r of zero', Uint8Array.from([...word(0n), ...signature.subarray(32), recid])],
    ['an r past the order', Uint8Array.from([...word(ORDER), ...signature.subarray(32), recid])],
    ['v of 2', withV(signature, 2)],
    ['v of 26', withV(signature, 26)],
    ['v of 29', withV(signature, 29)],
    ['63 bytes', signature.subarray(0, 63)],
    ['66 bytes', Uint8Array.from([...signature, recid, 0])],
    ['nothing', new Uint8Array()],
  ])('%s', (_, spelling) => {
    expect(signerOf(digest, spelling)).toBeUndefined();
  });
});

test('no bytes make it throw', () => {
  fc.assert(
    fc.property(bytes32, fc.uint8Array({ minLength: 60, maxLength: 70 }), (digest, bytes) => {
      const signer = signerOf(digest, bytes);
      expect(signer === undefined || /^0x[0-9a-f]{40}$/.test(signer satisfies string as Hex)).toBe(true);
    }),
  );
});
