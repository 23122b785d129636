import { expect, test } from 'vitest';
import { holdsPrivateKey } from './private-keys.ts';

const BODY = 'MC4CAQAwBQYDK2VwBCIEIA'.repeat(3);
const pem = (...headers: string[]) => ['-----BEGIN RSA PRIVATE', ' KEY-----\n', ...headers, BODY].join('');

test.each([
  ['a PEM', pem()],
  ['a PEM with headers', pem('Proc-Type: 4,ENCRYPTED\n', 'DEK-Info: AES-128-CBC,00\n\n')],
  ['a key as `svc wallet create` writes it', `0x${'1f'.repeat(32)}\n`],
  ['a key of Solana', JSON.stringify(Array.from({ length: 64 }, (_, index) => index * 4))],
  ['a keystore', JSON.stringify({ version: 3, crypto: { ciphertext: 'ab'.repeat(32), kdf: 'scrypt' } }, null, 2)],
])('%s is found', (_, text) => {
  expect(holdsPrivateKey(text)).toBe(true);
});

test.each([
  ['a hash inside of a text', `the hash 0x${'1f'.repeat(32)} of a block`],
  ['a list of other numbers', '[1, 2, 3]'],
])('%s is no key', (_, text) => {
  expect(holdsPrivateKey(text)).toBe(false);
});
