import { inspect } from 'node:util';
import { hexToBytes, recoverAddress, toHex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import { openKeystore, sealKeystore } from './keystore.ts';
import { createLocalSigner } from './local-signer.ts';

/** Test vectors of the format: one key under both derivations. */
const VECTOR_ADDRESS = '0x008aeeda4d805471df9b2a5b0f38a0c3bcba786b';
const BY_ROUNDS = {
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '6087dab2f9fdbbfaddc31a909735c1e6' },
    ciphertext: '5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46',
    kdf: 'pbkdf2',
    kdfparams: {
      c: 262_144,
      dklen: 32,
      prf: 'hmac-sha256',
      salt: 'ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd',
    },
    mac: '517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2',
  },
  id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
  version: 3,
};
const BY_SCRYPT = {
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '83dbcc02d8ccb40e466191a123791e0e' },
    ciphertext: 'd172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c',
    kdf: 'scrypt',
    kdfparams: {
      dklen: 32,
      n: 262_144,
      p: 8,
      r: 1,
      salt: 'ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19',
    },
    mac: '2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097',
  },
  id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
  version: 3,
};
/** Written by `cast wallet import` 1.7.1 for the key of 32 bytes 0x11. */
const BY_CAST = {
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: 'cdd334f50d79ae6ff746238bb34cd720' },
    ciphertext: 'ddd9d6fcc92b3b79fe00c9d2a91705f08ed276f9122634fd5671e3a07ae7b4d4',
    kdf: 'scrypt',
    kdfparams: {
      dklen: 32,
      n: 8_192,
      p: 1,
      r: 8,
      salt: '402f2c4180fb76f7bdfd31d7fb3c442ea7b4ceb24ad831e0e139ef182ca309ce',
    },
    mac: '32c9446012813cb1c75da4344ecfcf87e34e8998c86967b3d50bf9041af023c0',
  },
  id: 'e97c59e6-0585-45c9-b81b-d4b9b20f30fe',
  version: 3,
};
const KEY = new Uint8Array(32).fill(0x11);
const ADDRESS = privateKeyToAddress(toHex(KEY)).toLowerCase();

const open = async (file: unknown, password = 'pass word') => {
  const opened = await openKeystore(typeof file === 'string' ? file : JSON.stringify(file), password);
  return opened.ok ? opened.signer.address : opened.code;
};
const cast = (change: object) => ({ ...BY_CAST, crypto: { ...BY_CAST.crypto, ...change } });
const castKdf = (change: object) => cast({ kdfparams: { ...BY_CAST.crypto.kdfparams, ...change } });

describe('opens', () => {
  test('the format’s test vectors', async () => {
    expect(await open(BY_ROUNDS, 'testpassword')).toBe(VECTOR_ADDRESS);
    expect(await open(BY_SCRYPT, 'testpassword')).toBe(VECTOR_ADDRESS);
  }, 20_000);
  test('what cast wrote', async () => {
    expect(await open(BY_CAST)).toBe(ADDRESS);
  });
  test('what it sealed itself, and no two files are alike', async () => {
    const [one, two] = [await sealKeystore(KEY, 'pässword'), await sealKeystore(KEY, 'pässword')];
    expect(await open(one, 'pässword')).toBe(ADDRESS);
    expect(one).not.toContain('11'.repeat(32));
    const parts = (file: string) => Object.values(JSON.parse(file).crypto).map((part) => JSON.stringify(part));
    expect(parts(one).filter((part) => parts(two).includes(part))).toEqual(['"aes-128-ctr"', '"scrypt"']);
  }, 20_000);
});

describe('refused as a value', () => {
  test.each<[string, unknown, string]>([
    ['another password', BY_ROUNDS, 'wrong_password'],
    ['a changed ciphertext', cast({ ciphertext: 'ee'.repeat(32) }), 'wrong_password'],
    ['no JSON', '{', 'damaged_keystore'],
    ['no object', 'null', 'damaged_keystore'],
    ['nothing in it', {}, 'damaged_keystore'],
    ['a short ciphertext', cast({ ciphertext: 'ee' }), 'damaged_keystore'],
    ['a MAC that is not hex', cast({ mac: 'zz'.repeat(32) }), 'damaged_keystore'],
    ['an n that is no power of two', castKdf({ n: 8_191 }), 'damaged_keystore'],
    ['an n of text', castKdf({ n: '8192' }), 'damaged_keystore'],
    ['a short derived key', castKdf({ dklen: 16 }), 'damaged_keystore'],
    ['the address of another key', { ...BY_CAST, address: 'aa'.repeat(20) }, 'damaged_keystore'],
    ['version 1', { ...BY_CAST, version: 1 }, 'unsupported_keystore'],
    ['another cipher', cast({ cipher: 'aes-128-cbc' }), 'unsupported_keystore'],
    ['another derivation', cast({ kdf: 'argon2id' }), 'unsupported_keystore'],
    ['scrypt that takes all memory', castKdf({ n: 2 ** 40 }), 'keystore_too_costly'],
    ['scrypt that takes all memory by r', castKdf({ r: 2 ** 30 }), 'keystore_too_costly'],
    ['scrypt that never ends', castKdf({ p: 2 ** 16 }), 'keystore_too_costly'],
    [
      'rounds that never end',
      { ...BY_ROUNDS, crypto: { ...BY_ROUNDS.crypto, kdfparams: { ...BY_ROUNDS.crypto.kdfparams, c: 2 ** 40 } } },
      'keystore_too_costly',
    ],
  ])('%s', async (_, file, code) => {
    expect(await open(file)).toBe(code);
  });
});

describe('a local signer', () => {
  const secret = '11'.repeat(32);
  test('signs a digest as its address, with a low s', async () => {
    const signer = createLocalSigner(KEY);
    const digest = new Uint8Array(32).fill(7);
    const { r, s, yParity } = await signer.signDigest(digest);
    const address = await recoverAddress({ hash: toHex(digest), signature: { r, s, yParity } });
    expect(address.toLowerCase()).toBe(signer.address);
  });
  test('shows its key to nobody', () => {
    const signer = createLocalSigner(KEY);
    const shown = [
      JSON.stringify(signer),
      inspect(signer, { depth: null, showHidden: true, getters: true }),
      ...Object.values(signer).map(String),
    ].join('\n');
    expect(shown).not.toContain(secret);
    expect(shown).not.toContain('17, 17, 17');
    expect(Reflect.ownKeys(signer)).toEqual(['address', 'signDigest']);
  });
  test('keeps its own copy of the key', async () => {
    const given = Uint8Array.from(KEY);
    const signer = createLocalSigner(given);
    const before = await signer.signDigest(new Uint8Array(32));
    given.fill(0);
    expect(await signer.signDigest(new Uint8Array(32))).toEqual(before);
  });
  test.each([
    ['zero', new Uint8Array(32)],
    ['the order of the curve', hexToBytes('0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141')],
    ['31 bytes', KEY.subarray(1)],
  ])('is not made of %s, and the refusal tells no bytes', (_, key) => {
    expect(() => createLocalSigner(key)).toThrow(/^not a private key$/);
  });
});
