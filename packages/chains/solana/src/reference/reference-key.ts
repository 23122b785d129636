import { createHash } from 'node:crypto';
import { base58Of } from '../bytes/base58.ts';

/**
 * The key by which transactions of an intent are found. Derived, so that it is the same however often a wallet asks, and after
 * a restore. Nobody has a private key of it; it is public from the first transaction on and is no secret.
 */
export function referenceOf(installation: string, intentId: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify(['svc-pay reference', installation, intentId]))
    .digest();
  return base58Of(digest);
}
