// Filters of the list of payments, as its address has them and as the API takes them.
import type { IntentStatus, PaymentStatus } from '@svc-pay/protocol';
import { INTENT_WORDS, PAYMENT_WORDS } from '../words/states.ts';

type Control = 'choice' | 'typed' | 'time';
type FilterOf = {
  readonly label: string;
  /** How the filter bar lets somebody set it. */
  readonly control: Control;
  /** Also of `GET /sdk/payment-intents`. */
  readonly ofIntents?: true;
  readonly hint?: string;
};

/** Exactly the filters of `GET /sdk/payments`, in the order of the bar. */
export const FILTERS = {
  status: { label: 'Status', control: 'choice', ofIntents: true },
  chain: { label: 'Network', control: 'choice' },
  token: { label: 'Token', control: 'choice' },
  payer: { label: 'Payer', control: 'typed', hint: 'The whole address of the wallet that paid.' },
  transactionId: { label: 'Transaction', control: 'typed', hint: 'The hash, signature or block of the transaction.' },
  intentId: { label: 'Payment intent', control: 'typed', hint: 'The id of what you asked for, which begins with pi_.' },
  metadata: {
    label: 'Metadata',
    control: 'typed',
    ofIntents: true,
    hint: 'As key:value, of a key that your operator declared, such as order:1042.',
  },
  createdAfter: { label: 'Created after', control: 'time', ofIntents: true },
  createdBefore: { label: 'Created before', control: 'time', ofIntents: true },
} as const satisfies Readonly<Record<string, FilterOf>>;

export type FilterName = keyof typeof FILTERS;

/** Names of the filters that a list has, of one control or of all. */
export const filtersOf = (list: 'intents' | undefined, control?: Control): readonly FilterName[] =>
  Object.entries<FilterOf>(FILTERS)
    .filter(([, one]) => (list === undefined || one.ofIntents) && (control === undefined || one.control === control))
    .map(([name]) => name as FilterName);

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

/** Whether the API takes the text for this filter of the list. */
export function isTaken(list: ListFilters['list'], name: FilterName, text: string): boolean {
  if (name === 'status') return isStatus(list, text);
  if (name === 'metadata') return METADATA.test(text);
  if (name === 'createdAfter' || name === 'createdBefore') return ISO.test(text) && !Number.isNaN(Date.parse(text));
  return WORD.test(text);
}

/** What an address says. Parts that the API would refuse are left out, so that an old or mistyped address shows a list. */
export function readFilters(search: Readonly<Record<string, unknown>>): ListFilters {
  const list = search['list'] === 'intents' ? 'intents' : undefined;
  return filtersOf(list).reduce<ListFilters>(
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
