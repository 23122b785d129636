// Filters of the lists. Each filter has an index, and a list reads one of them: a combination that has none would read rows
// that it does not answer with, up to a whole month of them.
import type { IntentStatus, NetworkId, PaymentStatus } from '@svc-pay/protocol';
import type { Id } from '@svc-pay/protocol/ids';
import { TOKENS } from '../token/catalogue.ts';

export type MetadataFilter = { readonly key: string; readonly value: string };

type CreatedRange = {
  /** Inclusive. */
  readonly createdAfterMs: number | undefined;
  /** Exclusive. */
  readonly createdBeforeMs: number | undefined;
};

export type PaymentFilter = CreatedRange & {
  readonly status: PaymentStatus | undefined;
  readonly network: NetworkId | undefined;
  readonly tokenShortcode: string | undefined;
  readonly payer: string | undefined;
  readonly transactionId: string | undefined;
  readonly intentId: Id<'paymentIntent'> | undefined;
  readonly metadata: MetadataFilter | undefined;
};

export type IntentFilter = CreatedRange & {
  readonly status: IntentStatus | undefined;
  readonly metadata: MetadataFilter | undefined;
};

/** The filter whose index is read. */
export type PaymentIndex = 'all' | 'status' | 'network' | 'token' | 'payer' | 'transaction' | 'intent' | 'metadata';

export type ChosenIndex =
  | { readonly ok: true; readonly index: PaymentIndex }
  /** No payment can match. */
  | { readonly ok: true; readonly index: 'none' }
  | { readonly ok: false; readonly code: 'filters_not_combinable' };

/**
 * An intent and a transaction have few payments of an account, so all other filters are applied to the rows that are found.
 * A token is of one network.
 */
export function choosePaymentIndex(filter: PaymentFilter): ChosenIndex {
  const { status, network, tokenShortcode, payer, transactionId, intentId, metadata } = filter;
  const isOfNetwork =
    network === undefined ||
    tokenShortcode === undefined ||
    TOKENS.some((token) => token.shortcode === tokenShortcode && token.network === network);
  if (metadata !== undefined) {
    const others = [status, network, tokenShortcode, payer, transactionId, intentId];
    return others.every((other) => other === undefined) ? { ok: true, index: 'metadata' } : NOT_COMBINABLE;
  }
  if (!isOfNetwork) return { ok: true, index: 'none' };
  if (intentId !== undefined) return { ok: true, index: 'intent' };
  if (transactionId !== undefined) return { ok: true, index: 'transaction' };
  const wide: [PaymentIndex, unknown][] = [
    ['status', status],
    ['token', tokenShortcode],
    ['network', tokenShortcode === undefined ? network : undefined],
    ['payer', payer],
  ];
  const [first, ...others] = wide.filter(([, value]) => value !== undefined);
  if (others.length > 0) return NOT_COMBINABLE;
  return { ok: true, index: first?.[0] ?? 'all' };
}

const NOT_COMBINABLE = { ok: false, code: 'filters_not_combinable' } as const;

export function areIntentFiltersCombinable({ status, metadata }: IntentFilter): boolean {
  return status === undefined || metadata === undefined;
}
