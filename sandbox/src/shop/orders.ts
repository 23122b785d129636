// Orders in the shop's database. Each change is one statement that names the status it starts from, so that of two
// conflicting changes only one happens.
import { randomUUID } from 'node:crypto';
import type { Database } from '@svc-pay/postgres';
import type { Order } from './order.ts';

type Paid = {
  readonly intentId: string;
  readonly chargedAtomic: string;
  readonly returnedAtomic: string;
  readonly transactionId: string | null;
};

export type Orders = {
  readonly place: (item: string) => Promise<Order>;
  readonly find: (id: string) => Promise<Order | undefined>;
  readonly latest: (count: number) => Promise<readonly Order[]>;
  readonly authorize: (id: string, intentId: string) => Promise<boolean>;
  /** Uses one more unit, unless that exceeds `most`. Returns the units used. */
  readonly use: (id: string, most: bigint) => Promise<number | undefined>;
  /** Stops serving, so that every attempt to charge has the same amount. */
  readonly close: (id: string) => Promise<Order | undefined>;
  readonly pay: (id: string, paid: Paid) => Promise<boolean>;
  readonly fail: (id: string, trouble: string) => Promise<boolean>;
  readonly cancel: (id: string) => Promise<boolean>;
  /** Stores why the last payment failed; the order can still be paid. */
  readonly note: (id: string, trouble: string) => Promise<boolean>;
};

const COLUMNS = `id, item, status, intent_id as "intentId", units, charged_atomic::text as "chargedAtomic",
  returned_atomic::text as "returnedAtomic", transaction_id as "transactionId", trouble`;

export function createOrders({ pool }: Pick<Database, 'pool'>): Orders {
  const rows = async (text: string, values: unknown[]) => (await pool.query<Order>(text, values)).rows;
  const change = async (id: string, from: readonly Order['status'][], set: string, values: unknown[] = []) => {
    const [changed] = await rows(
      `update orders set updated_at = now(), ${set} where id = $1 and status = any ($2) returning ${COLUMNS}`,
      [id, from, ...values],
    );
    return changed;
  };
  const changes = async (...wanted: Parameters<typeof change>) => (await change(...wanted)) !== undefined;
  const find = async (id: string) => (await rows(`select ${COLUMNS} from orders where id = $1`, [id]))[0];
  return {
    find,
    place: async (item) => {
      const [order] = await rows(`insert into orders (id, item, status) values ($1, $2, 'open') returning ${COLUMNS}`, [
        randomUUID(),
        item,
      ]);
      if (order === undefined) throw new Error('an order was placed and is not there');
      return order;
    },
    latest: (count) => rows(`select ${COLUMNS} from orders order by created_at desc limit $1`, [count]),
    authorize: (id, intentId) =>
      changes(id, ['open'], `status = 'authorized', intent_id = $3, trouble = null`, [intentId]),
    use: async (id, most) => {
      const [used] = await rows(
        `update orders set updated_at = now(), units = units + 1
         where id = $1 and status = 'authorized' and units < $2 returning ${COLUMNS}`,
        [id, String(most)],
      );
      return used?.units;
    },
    close: async (id) => (await change(id, ['authorized'], `status = 'closing'`)) ?? (await find(id)),
    pay: (id, { intentId, chargedAtomic, returnedAtomic, transactionId }) =>
      changes(
        id,
        ['open', 'authorized', 'closing', 'failed'],
        `status = 'paid', intent_id = $3, charged_atomic = $4, returned_atomic = $5, transaction_id = $6, trouble = null`,
        [intentId, chargedAtomic, returnedAtomic, transactionId],
      ),
    fail: (id, trouble) => changes(id, ['authorized', 'closing'], `status = 'failed', trouble = $3`, [trouble]),
    cancel: (id) => changes(id, ['open', 'authorized', 'closing'], `status = 'canceled'`),
    note: (id, trouble) => changes(id, ['open'], 'trouble = $3', [trouble]),
  };
}
