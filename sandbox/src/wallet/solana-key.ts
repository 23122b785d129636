// Throw-away ed25519 keys for wallets of the sandbox.
import { createPrivateKey, createPublicKey, randomBytes } from 'node:crypto';
import { base58FromBytes } from '@svc-pay/protocol/solana';
import { PKCS8_START } from './pkcs8.ts';

export type SolanaKey = {
  readonly address: string;
  /** The 32 secret bytes as hex. */
  readonly secret: string;
};

export function solanaKeyFrom(secret: Uint8Array): SolanaKey {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_START, secret]), format: 'der', type: 'pkcs8' });
  const { x } = createPublicKey(key).export({ format: 'jwk' });
  const publicKey = Uint8Array.from(Buffer.from(x ?? '', 'base64url'));
  return { address: base58FromBytes(publicKey), secret: Buffer.from(secret).toString('hex') };
}

export const newSolanaKey = (): SolanaKey => solanaKeyFrom(randomBytes(32));
