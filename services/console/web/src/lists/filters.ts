// Filters of the list of payments, as its address has them and as the API takes them.
import type { IntentStatus, PaymentStatus } from '@svc-pay/protocol';
import { INTENT_WORDS, PAYMENT_WORDS } from '../words/states.ts';

/** Exactly the filters of `GET /sdk/payments` and `GET /sdk/payment-intents`. */
const OF_PAYMENTS = [
  'status',
  'chain',
  'token',
  'payer',
  'transactionId',
  'intentId',
  'metadata',
  'createdAfter',
  'createdBefore',
] as const;
const OF_INTENTS = ['status', 'metadata', 'createdAfter', 'createdBefore'] as const;

export type FilterName = (typeof OF_PAYMENTS)[number];
export type ListFilters = { readonly [Each in FilterName]?: string } & {
  /** Payments unless told. */
  readonly list?: 'intents';
};

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z$/;
/** Visible ASCII, as the API takes it. */
const WORD = /^[\x21-\x7e]{1,150}$/;
const METADATA = /^[A-Za-z0-9_.-]{1,40}:.{1,500}$/s;

const isStatus = (list: ListFilters['list'], text: string): text is IntentStatus | PaymentStatus =>
  Object.hasOwn(list === 'intents' ? INTENT_WORDS : PAYMENT_WORDS, text);

function isTaken(list: ListFilters['list'], name: FilterName, text: string): boolean {
  if (name === 'status') return isStatus(list, text);
  if (name === 'metadata') return METADATA.test(text);
  if (name === 'createdAfter' || name === 'createdBefore') return ISO.test(text) && !Number.isNaN(Date.parse(text));
  return WORD.test(text);
}

/** What an address says. Parts that the API would refuse are left out, so that an old or mistyped address shows a list. */
export function readFilters(search: Readonly<Record<string, unknown>>): ListFilters {
  const list = search['list'] === 'intents' ? 'intents' : undefined;
  const names: readonly FilterName[] = list === 'intents' ? OF_INTENTS : OF_PAYMENTS;
  return names.reduce<ListFilters>(
    (read, name) => {
      const text = search[name];
      return typeof text === 'string' && isTaken(list, name, text) ? withFilter(read, name, text) : read;
    },
    list === undefined ? {} : { list },
  );
}

const WIDE: readonly FilterName[] = ['status', 'chain', 'token', 'payer'];
const NARROW: readonly FilterName[] = ['transactionId', 'intentId'];

/**
 * The filters with one more, or without it. The API reads one index for each list: of the wide filters one at a time, beside
 * an intent or a transaction any, and metadata alone. What can't stand beside the new one gives way.
 */
export function withFilter(filters: ListFilters, name: FilterName, value: string | undefined): ListFilters {
  const others: ListFilters = without(filters, [name]);
  if (value === undefined || value === '') return others;
  const isNarrowed = NARROW.some((narrow) => others[narrow] !== undefined);
  const gives: readonly FilterName[] =
    name === 'metadata'
      ? [...WIDE, ...NARROW]
      : WIDE.includes(name)
        ? ['metadata', ...(isNarrowed ? [] : WIDE)]
        : NARROW.includes(name)
          ? ['metadata']
          : [];
  return { ...without(others, gives), [name]: value };
}

const without = (filters: ListFilters, names: readonly string[]): ListFilters =>
  Object.fromEntries(Object.entries(filters).filter(([key]) => !names.includes(key)));

/** Everything that narrows the list, for the request; `list` is its path. */
export function queryOf(filters: ListFilters): Readonly<Record<string, string>> {
  return without(filters, ['list']);
}

export const pathOf = ({ list }: ListFilters): string =>
  list === 'intents' ? '/sdk/payment-intents' : '/sdk/payments';

export const hasFilters = (filters: ListFilters): boolean => Object.keys(queryOf(filters)).length > 0;
