// Hears from the database which order changed; who follows one is woken and reads it.
import type { Database } from '@svc-pay/postgres';

export type OrderChanges = {
  readonly follow: (orderId: string, wake: () => void, signal: AbortSignal) => void;
  readonly stop: () => Promise<void>;
};

export async function listenToOrders({ pool }: Pick<Database, 'pool'>): Promise<OrderChanges> {
  const client = await pool.connect();
  const changes = new EventTarget();
  client.on('notification', ({ payload }) => {
    if (payload !== undefined) changes.dispatchEvent(new Event(payload));
  });
  await client.query('listen shop_order');
  return {
    follow: (orderId, wake, signal) => changes.addEventListener(orderId, wake, { signal }),
    // A connection that listens is of no use to anybody else.
    stop: async () => client.release(true),
  };
}
