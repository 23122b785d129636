// Opens and seals an encrypted key. Opening returns a signer, never the key.
import {
  createCipheriv,
  createDecipheriv,
  pbkdf2,
  randomBytes,
  randomUUID,
  scrypt,
  timingSafeEqual,
} from 'node:crypto';
import { promisify } from 'node:util';
import { scryptAsync } from '@noble/hashes/scrypt.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { type Kdf, type ReadKeystore, readKeystoreFile } from './keystore-file.ts';
import { createLocalSigner } from './local-signer.ts';
import type { TransactionSigner } from './transaction-signer.ts';

export type OpenedKeystore =
  | { readonly ok: true; readonly signer: TransactionSigner }
  | Extract<ReadKeystore, { ok: false }>
  | { readonly ok: false; readonly code: 'wrong_password' };

const deriveByRounds = promisify(pbkdf2);
const CIPHER = 'aes-128-ctr';
/** The parameters of geth: 256 MiB and most of a second for every guess. */
const SEAL = { name: 'scrypt', n: 262_144, r: 8, p: 1 } as const;

/** `text` is the file's content. The format cannot distinguish a wrong password from a changed ciphertext. */
export async function openKeystore(text: string, password: string): Promise<OpenedKeystore> {
  const read = readKeystoreFile(text);
  if (!read.ok) return read;
  const { kdf, iv, ciphertext, mac, address } = read.file;
  const derived = await deriveKey(kdf, password);
  if (!timingSafeEqual(macOf(derived, ciphertext), mac)) return { ok: false, code: 'wrong_password' };
  const decipher = createDecipheriv(CIPHER, derived.subarray(0, 16), iv);
  const key = Buffer.concat([decipher.update(ciphertext), decipher.final()]);
  try {
    const signer = createLocalSigner(key);
    const names = address === undefined || address === signer.address;
    return names ? { ok: true, signer } : { ok: false, code: 'damaged_keystore' };
  } catch {
    // The file is intact, but its content is not a key of this curve.
    return { ok: false, code: 'damaged_keystore' };
  } finally {
    key.fill(0);
    derived.fill(0);
  }
}

/** Returns the content of a new file. Throws for bytes that are not a key. */
export async function sealKeystore(privateKey: Uint8Array, password: string): Promise<string> {
  const { address } = createLocalSigner(privateKey);
  const kdf = { ...SEAL, salt: randomBytes(32) };
  const iv = randomBytes(16);
  const derived = await deriveKey(kdf, password);
  const cipher = createCipheriv(CIPHER, derived.subarray(0, 16), iv);
  const ciphertext = Buffer.concat([cipher.update(privateKey), cipher.final()]);
  const mac = macOf(derived, ciphertext).toString('hex');
  derived.fill(0);
  const { name, n, r, p, salt } = kdf;
  return JSON.stringify({
    address: address.slice(2),
    crypto: {
      cipher: CIPHER,
      cipherparams: { iv: iv.toString('hex') },
      ciphertext: ciphertext.toString('hex'),
      kdf: name,
      kdfparams: { dklen: 32, n, p, r, salt: salt.toString('hex') },
      mac,
    },
    id: randomUUID(),
    version: 3,
  });
}

function macOf(derived: Buffer, ciphertext: Buffer): Buffer {
  return Buffer.from(keccak_256(Buffer.concat([derived.subarray(16, 32), ciphertext])));
}

async function deriveKey(kdf: Kdf, password: string): Promise<Buffer> {
  if (kdf.name === 'pbkdf2') return deriveByRounds(password, kdf.salt, kdf.rounds, 32, 'sha256');
  const { n, r, p, salt } = kdf;
  const maxmem = 256 * r * (n + p);
  // OpenSSL accepts n only below 2^(16 r); files with r = 1 exceed that.
  if (Math.log2(n) >= 16 * r) return Buffer.from(await scryptAsync(password, salt, { N: n, r, p, dkLen: 32, maxmem }));
  return new Promise((resolve, reject) => {
    scrypt(password, salt, 32, { N: n, r, p, maxmem }, (problem, key) =>
      problem === null ? resolve(key) : reject(problem),
    );
  });
}
