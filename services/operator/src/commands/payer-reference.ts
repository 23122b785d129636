import { createHmac } from 'node:crypto';

/** Stands for a payer in the audit record: the same for the same payer, and nobody without the pepper can tell whose. */
export function payerReference(pepper: Uint8Array, payer: string): string {
  const normal = /^0x[0-9a-f]+$/i.test(payer) ? payer.toLowerCase() : payer;
  return `payer:${createHmac('sha256', pepper).update(`privacy:${normal}`).digest('hex').slice(0, 32)}`;
}
