// Key by which a Restate server signs its calls, and the name of its public half in SVC_ENGINE_IDENTITY_KEYS.
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';

export type IdentityKey = { readonly publicKey: string; readonly environment: Readonly<Record<string, string>> };

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const RAW_BYTES = 32;

export function newIdentityKey(file: string): IdentityKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-RAW_BYTES);
  return {
    publicKey: `publickeyv1_${base58(raw)}`,
    environment: { RESTATE_WORKER__INVOKER__REQUEST_IDENTITY_PRIVATE_KEY_PEM_FILE: file },
  };
}

function base58(bytes: Uint8Array): string {
  let rest = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  for (; rest > 0n; rest /= 58n) text = `${ALPHABET[Number(rest % 58n)]}${text}`;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(Math.max(zeros, 0)) + text;
}
