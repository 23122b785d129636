// AWS KMS as a key service. The SDK is loaded only when a KMS key is configured.
import type { KeyService } from './kms-signer.ts';

const TIMEOUT_MS = 5_000;

/** `keyArn` contains the region. The SDK finds the credentials in its usual way. */
export async function openAwsKms(keyArn: string): Promise<KeyService> {
  const { GetPublicKeyCommand, KMSClient, SignCommand } = await import('@aws-sdk/client-kms');
  const region = keyArn.split(':')[3] ?? '';
  const client = new KMSClient({ region, maxAttempts: 3 });
  const within = () => ({ abortSignal: AbortSignal.timeout(TIMEOUT_MS) });
  return {
    readPublicKey: async () => {
      const { PublicKey } = await client.send(new GetPublicKeyCommand({ KeyId: keyArn }), within());
      if (PublicKey === undefined) throw new Error(`KMS gave no public key of ${keyArn}`);
      return PublicKey;
    },
    sign: async (digest) => {
      const { Signature } = await client.send(
        new SignCommand({ KeyId: keyArn, Message: digest, MessageType: 'DIGEST', SigningAlgorithm: 'ECDSA_SHA_256' }),
        within(),
      );
      if (Signature === undefined) throw new Error(`KMS gave no signature of ${keyArn}`);
      return Signature;
    },
  };
}
