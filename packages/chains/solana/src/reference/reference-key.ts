import { createHash } from 'node:crypto';
import { getBase58Decoder } from '@solana/kit';

/**
 * The key by which transactions of an intent are found. Derived, so that it is the same however often a wallet asks, and after
 * a restore. Nobody has a private key of it; it is public from the first transaction on and is no secret.
 */
export function referenceOf(installation: string, intentId: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify(['svc-pay reference', installation, intentId]))
    .digest();
  return getBase58Decoder().decode(digest);
}
