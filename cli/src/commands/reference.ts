import { createHmac } from 'node:crypto';

/**
 * Pseudonym of a payer or of an address range in the audit record: the same for the same one, and not reversible without the
 * pepper.
 */
export function referenceOf(pepper: Uint8Array, kind: 'payer' | 'address', value: string): string {
  const normal = /^0x[0-9a-f]+$/i.test(value) ? value.toLowerCase() : value;
  const text = kind === 'payer' ? normal : `${kind}:${normal}`;
  return `${kind}:${createHmac('sha256', pepper).update(`privacy:${text}`).digest('hex').slice(0, 32)}`;
}
