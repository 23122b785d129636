// Reports endpoints that will be switched off unless a delivery
// succeeds. Each is reported once a day, over all processes.
import { ENDPOINT_WARN_AFTER_MS, endpointOffAtMs, isoTime, type Mode } from '@svc-pay/core';
import type pg from 'pg';

export type FailingEndpoint = {
  readonly accountId: string;
  readonly mode: Mode;
  readonly endpointId: string;
  readonly failingSince: string;
  readonly disablesAt: string;
};

type Row = { readonly account_id: string; readonly mode: Mode; readonly id: string; readonly failing_since: Date };

/** Endpoints that have failed for a day and were not reported in the last day. The call marks them as reported. */
export async function nameFailing(
  pool: pg.Pool,
  modes: readonly Mode[],
  nowMs: number,
): Promise<readonly FailingEndpoint[]> {
  const { rows } = await pool.query<Row>(
    `update svc.endpoints set warned_at = $1
     where status = 'enabled' and failing_since <= $2 and (warned_at is null or warned_at <= $2)
       and mode = any ($3::text[])
     returning account_id, mode, id, failing_since`,
    [isoTime(nowMs), isoTime(nowMs - ENDPOINT_WARN_AFTER_MS), modes],
  );
  return rows.map(({ account_id, mode, id, failing_since }) => ({
    accountId: account_id,
    mode,
    endpointId: id,
    failingSince: failing_since.toISOString(),
    disablesAt: isoTime(endpointOffAtMs(failing_since.getTime())),
  }));
}
