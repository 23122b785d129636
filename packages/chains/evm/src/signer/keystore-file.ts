// Parses an encrypted key file: Ethereum's Web3 Secret Storage, version 3, as geth and `cast wallet import` write it.
// Strict and bounded: a file may be damaged, or crafted to exhaust memory or CPU.

export type Kdf =
  | { readonly name: 'scrypt'; readonly n: number; readonly r: number; readonly p: number; readonly salt: Buffer }
  | { readonly name: 'pbkdf2'; readonly rounds: number; readonly salt: Buffer };

type KeystoreFile = {
  readonly kdf: Kdf;
  readonly iv: Buffer;
  readonly ciphertext: Buffer;
  readonly mac: Buffer;
  /** Lower case with 0x; some tools leave it out. */
  readonly address: string | undefined;
};

export type ReadKeystore =
  | { readonly ok: true; readonly file: KeystoreFile }
  | { readonly ok: false; readonly code: 'damaged_keystore' | 'unsupported_keystore' | 'keystore_too_costly' };

const MAX_SCRYPT_BYTES = 512 * 1024 * 1024;
/** Eight times the work of geth's own files. */
const MAX_SCRYPT_WORK = 2 ** 24;
const MAX_ROUNDS = 10_000_000;
const KEY_BYTES = 32;

export function readKeystoreFile(text: string): ReadKeystore {
  const file = parse(text);
  const crypto = record(file?.['crypto'] ?? file?.['Crypto']);
  const params = record(crypto?.['kdfparams']);
  if (file === undefined || crypto === undefined || params === undefined)
    return { ok: false, code: 'damaged_keystore' };
  if (file['version'] !== 3 || crypto['cipher'] !== 'aes-128-ctr') return { ok: false, code: 'unsupported_keystore' };
  const iv = bytes(record(crypto['cipherparams'])?.['iv'], 16);
  const ciphertext = bytes(crypto['ciphertext'], KEY_BYTES);
  const mac = bytes(crypto['mac'], 32);
  const kdf = readKdf(crypto['kdf'], params);
  if (typeof kdf === 'string') return { ok: false, code: kdf };
  if (iv === undefined || ciphertext === undefined || mac === undefined) return { ok: false, code: 'damaged_keystore' };
  const address = bytes(file['address'], 20);
  return { ok: true, file: { kdf, iv, ciphertext, mac, address: address && `0x${address.toString('hex')}` } };
}

type KdfProblem = Extract<ReadKeystore, { ok: false }>['code'];

function readKdf(name: unknown, params: Readonly<Record<string, unknown>>): Kdf | KdfProblem {
  const salt = bytes(params['salt']);
  if (salt === undefined || params['dklen'] !== KEY_BYTES) return 'damaged_keystore';
  if (name === 'pbkdf2') {
    const rounds = whole(params['c']);
    if (params['prf'] !== 'hmac-sha256') return 'unsupported_keystore';
    if (rounds === undefined) return 'damaged_keystore';
    return rounds > MAX_ROUNDS ? 'keystore_too_costly' : { name, rounds, salt };
  }
  if (name !== 'scrypt') return 'unsupported_keystore';
  const [n, r, p] = [whole(params['n']), whole(params['r']), whole(params['p'])];
  if (n === undefined || r === undefined || p === undefined || !Number.isInteger(Math.log2(n)) || n < 2) {
    return 'damaged_keystore';
  }
  const tooCostly = 128 * r * (n + p) > MAX_SCRYPT_BYTES || n * r * p > MAX_SCRYPT_WORK;
  return tooCostly ? 'keystore_too_costly' : { name, n, r, p, salt };
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return record(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function record(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}

function whole(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

function bytes(value: unknown, length?: number): Buffer | undefined {
  if (typeof value !== 'string' || !/^(?:0x)?(?:[0-9a-f]{2})+$/i.test(value)) return undefined;
  const read = Buffer.from(value.replace(/^0x/, ''), 'hex');
  return length === undefined || read.length === length ? read : undefined;
}
