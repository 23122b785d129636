// Listens to the database for changed orders, and wakes their followers, which then read the order.
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
    // Destroys the connection: it still listens, so the pool must not reuse it.
    stop: async () => client.release(true),
  };
}
