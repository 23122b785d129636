import { isoTime, type Mode } from '@svc-pay/core';
import type pg from 'pg';
import { isDue } from './is-due.ts';

/** What webhooks have to do. */
export type OpenDeliveries = {
  readonly due: boolean;
  readonly replay: boolean;
};

const LOAD = {
  name: 'load-open-deliveries',
  text: `
    select exists (
        select from svc.deliveries d where d.status = 'pending' and ${isDue('d', '$1')} and d.mode = any ($2::text[])
      ) as due,
      exists (select from svc.event_replays where status = 'running' and mode = any ($2::text[])) as replay`,
};

/** Cheap enough to be asked several times a second: two entries of indexes that hold open rows only. */
export async function loadOpenDeliveries(
  pool: pg.Pool,
  modes: readonly Mode[],
  nowMs: number,
): Promise<OpenDeliveries> {
  const { rows } = await pool.query<OpenDeliveries>({ ...LOAD, values: [isoTime(nowMs), modes] });
  return rows[0] ?? { due: true, replay: true };
}
