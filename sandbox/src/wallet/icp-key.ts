// Keys of the Internet Computer for wallets of the sandbox.
import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import { principalText } from '@svc-pay/protocol/icp';
import { PKCS8_START } from './pkcs8.ts';

export type IcpKey = {
  /** Text of the principal that the key stands for. */
  readonly principal: string;
  /** The 32 secret bytes as hex. */
  readonly secret: string;
  /** DER, as hex. */
  readonly publicKey: string;
};

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
