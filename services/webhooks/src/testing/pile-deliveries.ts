import { newId } from '@svc-pay/protocol/ids';
import type { World } from './delivery-world.ts';

/** Inserts many events for one endpoint, all due at `dueAtMs`, in one statement. */
export async function pileDeliveries(
  { pool, shop, clock }: World,
  endpointId: string,
  count: number,
  dueAtMs: number,
): Promise<void> {
  const prefix = newId('event', clock.nowMs()).slice(0, -6);
  await pool.query(
    `with numbers as (select $3 || lpad(to_hex(n), 6, '0') as id from generate_series(1, $4::integer) n),
       written as (
         insert into svc.events (account_id, mode, id, type, intent_id, sequence, api_version, body, created_at)
         select $1, 'test', id, 'payment_intent.created', 'pi_x', 1, '2026-11-15', '{}', $5 from numbers
       )
     insert into svc.deliveries (account_id, mode, event_id, endpoint_id, status, next_at, created_at)
     select $1, 'test', id, $2, 'pending', $5, $5 from numbers`,
    [shop.accountId, endpointId, prefix, count, new Date(dueAtMs)],
  );
}
