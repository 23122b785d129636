// What somebody who pastes one word into the search looks for.

export type Found =
  | { readonly is: 'intent' | 'payment' | 'refund' | 'event' | 'endpoint'; readonly id: string }
  | { readonly is: 'filter'; readonly name: 'transactionId' | 'payer' | 'metadata'; readonly value: string }
  | { readonly is: 'nothing' };

const IDS = { pi: 'intent', pay: 'payment', re: 'refund', evt: 'event', we: 'endpoint' } as const;
const BASE58 = '[1-9A-HJ-NP-Za-km-z]';
const TRANSACTION = new RegExp(`^(?:0x[0-9a-fA-F]{64}|${BASE58}{64,88}|[a-z2-7-]{5,63}:\\d{1,19})$`);
const PAYER = new RegExp(
  `^(?:0x[0-9a-fA-F]{40}|${BASE58}{32,44}|(?:[a-z2-7]{1,5}-)+[a-z2-7]{1,5}(?:-[a-z2-7]+\\.[0-9a-f]+)?)$`,
);
const METADATA = /^[A-Za-z0-9_.-]{1,40}:.{1,500}$/s;

/** By the shape of the text alone: nothing is asked to find out. */
export function readSearch(typed: string): Found {
  const text = typed.trim();
  const prefix = /^(pi|pay|re|evt|we)_[0-9a-z]{26}$/.exec(text)?.[1] as keyof typeof IDS | undefined;
  if (prefix !== undefined) return { is: IDS[prefix], id: text };
  if (TRANSACTION.test(text)) return { is: 'filter', name: 'transactionId', value: text };
  if (PAYER.test(text)) return { is: 'filter', name: 'payer', value: text };
  if (METADATA.test(text)) return { is: 'filter', name: 'metadata', value: text };
  return { is: 'nothing' };
}
