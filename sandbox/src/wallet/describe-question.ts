// Describes to the payer what will be signed, only from the signed data and not from what the page says.
import { showAmount } from '../shop/show-amount.ts';
import type { SignQuestion } from './test-provider.ts';

export type Described = {
  readonly headline: string;
  readonly rows: readonly (readonly [name: string, value: string])[];
  /** Complete data as JSON. */
  readonly raw: string;
};

export function describeQuestion({ signer, domain, primaryType, message }: SignQuestion): Described {
  const text = (value: unknown): string =>
    typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' ? String(value) : '—';
  const amountAtomic = text(message['value']);
  const deadline = text(message['validBefore'] ?? message['deadline']);
  const isAmount = /^\d+$/.test(amountAtomic);
  return {
    headline: isAmount ? `Let ${showAmount(amountAtomic)} ${text(domain['name'])} be taken?` : `Sign ${primaryType}?`,
    rows: [
      ['From', text(message['from'] ?? message['owner'] ?? signer)],
      ['To', text(message['to'] ?? message['spender'])],
      ['Token', text(domain['verifyingContract'])],
      ['Chain', text(domain['chainId'])],
      ['Good until', /^\d+$/.test(deadline) ? new Date(Number(deadline) * 1_000).toUTCString() : deadline],
      ['Kind', primaryType],
    ],
    raw: JSON.stringify({ domain, primaryType, message }, null, 2),
  };
}
