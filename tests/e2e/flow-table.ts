// What a merchant saw of each flow: statuses as the API answered them, and events as the merchant's server received them.
import { EVENT_TYPES, INTENT_STATUSES, PAYMENT_STATUSES, SETTLE_STATUSES } from '@svc-pay/protocol';
import { expect } from 'vitest';
import { waitFor } from './many-payments.ts';
import type { Shop } from './open-shop.ts';
import type { World } from './start-world.ts';
import type { Heard, MerchantEndpoint } from './webhook-receiver.ts';

/** Every word of the interface, by where it is seen. */
const WORDS = {
  intent: INTENT_STATUSES,
  payment: PAYMENT_STATUSES,
  settle: SETTLE_STATUSES,
  event: EVENT_TYPES,
} as const satisfies Readonly<Record<string, readonly string[]>>;
type Column = keyof typeof WORDS;

type Row = { readonly name: string } & Readonly<Record<Column, Set<string>>>;

/** An answer to a submission: its own status, and those of the objects in it. */
type Answer = {
  readonly status?: string;
  readonly paymentIntent?: { readonly status: string } | undefined;
  readonly payment?: Readonly<Record<string, unknown>> | null;
};

export type Merchant = { readonly shop: Shop; readonly endpoint: MerchantEndpoint };

export type Flow = {
  /** Reads a path of the API with the merchant's secret key. */
  readonly read: <Body>(path: string) => Promise<Body>;
  /** Takes down what a submission answered. */
  readonly answered: (answer: Answer) => void;
  /** Waits until the API answers these statuses of the intent and of its payments, oldest first, and takes them down. */
  readonly shows: (intentId: string, intent: string, payments?: readonly string[]) => Promise<void>;
  /** Waits until the merchant's server has these events of the intent, in this order and no others; resolves to the last one. */
  readonly hears: (intentId: string, ...types: readonly string[]) => Promise<Heard['event'] | undefined>;
};

export type FlowTable = {
  readonly begin: (name: string, merchant: Merchant) => Flow;
  /** Words that no flow showed, as `column: word`. */
  readonly missing: () => readonly string[];
  readonly lines: () => readonly string[];
};

const WAIT_SECONDS = 60;

export function createFlowTable({ apiUrl }: Pick<World, 'apiUrl'>, order: readonly string[]): FlowTable {
  const rows = new Map<string, Row>();
  const begin: FlowTable['begin'] = (name, { shop, endpoint }) => {
    if (!order.includes(name)) throw new Error(`${name} is no flow of the table`);
    const row: Row = { name, intent: new Set(), payment: new Set(), settle: new Set(), event: new Set() };
    rows.set(name, row);
    const read = async <Body>(path: string): Promise<Body> => {
      const response = await fetch(`${apiUrl}${path}`, { headers: { authorization: `Bearer ${shop.secretKey}` } });
      if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      return (await response.json()) as Body;
    };
    const look = async (id: string) => {
      const [{ paymentIntent }, { data }] = await Promise.all([
        read<{ paymentIntent: { status: string } }>(`/sdk/public/payments/intents/${id}`),
        read<{ data: readonly { status: string }[] }>(`/sdk/payments?intentId=${id}`),
      ]);
      return [paymentIntent.status, ...data.map(({ status }) => status).toReversed()];
    };
    return {
      read,
      answered: ({ status, paymentIntent, payment }) => {
        if (status !== undefined) row.settle.add(status);
        if (paymentIntent !== undefined) row.intent.add(paymentIntent.status);
        if (payment) row.payment.add(String(payment['status']));
      },
      shows: async (id, intent, payments = []) => {
        const wanted = [intent, ...payments].join();
        let seen = '';
        const isShown = async () => {
          seen = (await look(id)).join();
          return seen === wanted;
        };
        await waitFor(isShown, WAIT_SECONDS, wanted).catch((problem: unknown) => {
          throw new Error(`${name}: ${seen} instead of ${wanted}`, { cause: problem });
        });
        row.intent.add(intent);
        for (const status of payments) row.payment.add(status);
      },
      hears: async (id, ...types) => {
        const heard = () => endpoint.of(id).map(({ event }) => event.type);
        await waitFor(async () => heard().length >= types.length, WAIT_SECONDS, `${name}: ${types.join(', ')}`).catch(
          () => undefined,
        );
        expect(heard()).toEqual(types);
        expect(endpoint.of(id).flatMap(({ problems }) => problems)).toEqual([]);
        for (const type of types) row.event.add(type);
        return endpoint.of(id).at(-1)?.event;
      },
    };
  };

  const isSeen = (column: Column, word: string) => [...rows.values()].some((row) => row[column].has(word));
  const cell = (row: Row, column: Column) =>
    WORDS[column]
      .filter((word) => row[column].has(word))
      .map((word) => `\`${word}\``)
      .join(', ');
  return {
    begin,
    missing: () =>
      (Object.keys(WORDS) as Column[]).flatMap((column) =>
        WORDS[column].filter((word) => !isSeen(column, word)).map((word) => `${column}: ${word}`),
      ),
    lines: () => [
      '| Flow | Intent | Payments | Answer to settle | Events |',
      '| --- | --- | --- | --- | --- |',
      ...order.map((name) => {
        const row = rows.get(name);
        if (row === undefined) return `| ${name} | was not run | | | |`;
        const cells = (['intent', 'payment', 'settle', 'event'] as const).map((column) => cell(row, column));
        return `|${[name, ...cells].map((text) => (text === '' ? ' |' : ` ${text} |`)).join('')}`;
      }),
    ],
  };
}
