import { isoTime, type LaneItem, type LaneLease, SETTLEMENT_STATUS } from '@svc-pay/core';
import type pg from 'pg';
import { withoutIndex } from '../database/planner.ts';
import { sqlIs } from '../database/status-sql.ts';
import { settlementKeys } from '../settlement/move-settlements.ts';
import { deferRefunds } from './refund-items.ts';

const DEFER = {
  name: 'lane-defer-items',
  text: `
    update svc.settlements s set retry_at = $7
    from unnest($4::text[], $5::text[], $6::text[]) as item (account_id, mode, payment_id)
    where s.account_id = item.account_id and s.mode = item.mode and s.payment_id = item.payment_id
      and ${withoutIndex('s.status')} ${sqlIs(SETTLEMENT_STATUS.queued)}
      and exists (select from svc.relayers where network = $1 and address = $2 and epoch = $3)`,
};

/** Deferred items stay queued and keep their number; no lane loads them before `untilMs`. */
export async function deferItems(
  pool: pg.Pool,
  { network, relayer, epoch }: LaneLease,
  items: readonly LaneItem[],
  untilMs: number,
): Promise<void> {
  const payments = items.filter(({ refund }) => refund === undefined);
  await deferRefunds(pool, { network, relayer, epoch }, items, untilMs);
  if (payments.length === 0) return;
  await pool.query({
    ...DEFER,
    values: [network, relayer, epoch.toString(), ...settlementKeys(payments), isoTime(untilMs)],
  });
}
