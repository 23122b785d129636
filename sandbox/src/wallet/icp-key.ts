// Keys of the Internet Computer for wallets of the sandbox.
import { createHash, createPrivateKey, createPublicKey, randomBytes } from 'node:crypto';
import { principalText } from '@svc-pay/protocol/icp';
import type { IcpKey } from './icp-test-wallet.ts';
import { PKCS8_START } from './pkcs8.ts';

/** Ends a principal that a key stands for. */
const SELF_AUTHENTICATING = 2;

export function icpKeyFrom(secret: Uint8Array): IcpKey {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_START, secret]), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' });
  const principal = Uint8Array.of(...createHash('sha224').update(publicKey).digest(), SELF_AUTHENTICATING);
  return {
    principal: principalText(principal),
    secret: Buffer.from(secret).toString('hex'),
    publicKey: publicKey.toString('hex'),
  };
}

export const newIcpKey = (): IcpKey => icpKeyFrom(randomBytes(32));
