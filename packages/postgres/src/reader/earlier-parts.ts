// What was paid in parts of an intent.
import type pg from 'pg';
import type { OwnedIntent } from './lock-for-apply.ts';

/**
 * What is paid for each acceptance of the intent, by its position. What was or is being refunded does not count. The caller
 * holds the lock of the intent, so that no part is added meanwhile.
 */
export async function loadEarlierParts(
  client: pg.ClientBase,
  { accountId, mode, intentId }: OwnedIntent,
): Promise<ReadonlyMap<number, bigint>> {
  const { rows } = await client.query<{ position: number; counted: string }>({
    name: 'load-earlier-parts',
    text: `
      select part.part_position as position,
        sum(part.paid_amount - coalesce(totals.refunded + totals.reserved, 0))::text as counted
      from svc.payments part
      left join svc.refund_totals totals
        on totals.account_id = part.account_id and totals.mode = part.mode and totals.payment_id = part.id
      where part.account_id = $1 and part.mode = $2 and part.intent_id = $3 and part.part_position is not null
      group by part.part_position`,
    values: [accountId, mode, intentId],
  });
  return new Map(rows.map(({ position, counted }) => [position, BigInt(counted)]));
}
