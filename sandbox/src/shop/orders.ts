// Orders in the shop's database. Each change is one statement that names the status it starts from, so that of two
// conflicting changes only one happens.
import type { Database } from '@svc-pay/postgres';
import type { Order } from './order.ts';

type Placed = {
  readonly id: string;
  readonly item: string;
  readonly intentId: string;
  readonly clientSecret: string;
};

type Paid = {
  readonly chargedAtomic: string;
  readonly returnedAtomic: string;
  readonly transactionId: string | null;
};

export type Orders = {
  readonly place: (placed: Placed) => Promise<void>;
  readonly find: (id: string) => Promise<Order | undefined>;
  /** The order for which the shop made this intent. */
  readonly findByIntent: (intentId: string) => Promise<Order | undefined>;
  readonly latest: (count: number) => Promise<readonly Order[]>;
  readonly authorize: (id: string) => Promise<boolean>;
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

const COLUMNS = `id, item, status, intent_id as "intentId", client_secret as "clientSecret", units, charged_atomic::text as "chargedAtomic",
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
    findByIntent: async (intentId) => (await rows(`select ${COLUMNS} from orders where intent_id = $1`, [intentId]))[0],
    place: async ({ id, item, intentId, clientSecret }) => {
      await pool.query(
        `insert into orders (id, item, status, intent_id, client_secret) values ($1, $2, 'open', $3, $4)`,
        [id, item, intentId, clientSecret],
      );
    },
    latest: (count) => rows(`select ${COLUMNS} from orders order by created_at desc limit $1`, [count]),
    authorize: (id) => changes(id, ['open'], `status = 'authorized', trouble = null`),
    use: async (id, most) => {
      const [used] = await rows(
        `update orders set updated_at = now(), units = units + 1
         where id = $1 and status = 'authorized' and units < $2 returning ${COLUMNS}`,
        [id, String(most)],
      );
      return used?.units;
    },
    close: async (id) => (await change(id, ['authorized'], `status = 'closing'`)) ?? (await find(id)),
    pay: (id, { chargedAtomic, returnedAtomic, transactionId }) =>
      changes(
        id,
        ['open', 'authorized', 'closing', 'failed'],
        `status = 'paid', charged_atomic = $3, returned_atomic = $4, transaction_id = $5, trouble = null`,
        [chargedAtomic, returnedAtomic, transactionId],
      ),
    fail: (id, trouble) => changes(id, ['authorized', 'closing'], `status = 'failed', trouble = $3`, [trouble]),
    cancel: (id) => changes(id, ['open', 'authorized', 'closing'], `status = 'canceled'`),
    note: (id, trouble) => changes(id, ['open'], 'trouble = $3', [trouble]),
  };
}
