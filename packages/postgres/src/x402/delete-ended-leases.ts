import { isoTime } from '@svc-pay/core';
import type pg from 'pg';

// Each condition has an index of its own. It is repeated outside: a lease may be granted again after it was found.
const UNSETTLED = 'intent_id is null and valid_before < extract(epoch from $1::timestamptz)';
const DELETE_UNSETTLED = {
  name: 'delete-unsettled-leases',
  text: `
    delete from svc.x402_leases where claim_key in (
      select claim_key from svc.x402_leases where ${UNSETTLED} order by valid_before limit $2
    ) and ${UNSETTLED}`,
};

// A settled authorization stays spent by its claim; its lease is kept for sellers that ask again.
const SETTLED = 'intent_id is not null and call_at < $2 and valid_before < extract(epoch from $1::timestamptz)';
const DELETE_SETTLED = {
  name: 'delete-settled-leases',
  text: `
    delete from svc.x402_leases where claim_key in (
      select claim_key from svc.x402_leases where ${SETTLED} order by call_at limit $3
    ) and ${SETTLED}`,
};

/** Deletes leases that ended before `endedBeforeMs`, those with a settle only if it was called before `settledBeforeMs`. */
export async function deleteEndedLeases(
  pool: pg.Pool,
  endedBeforeMs: number,
  settledBeforeMs: number,
  most: number,
): Promise<number> {
  const ended = isoTime(endedBeforeMs);
  const unsettled = await pool.query({ ...DELETE_UNSETTLED, values: [ended, most] });
  const settled = await pool.query({ ...DELETE_SETTLED, values: [ended, isoTime(settledBeforeMs), most] });
  return (unsettled.rowCount ?? 0) + (settled.rowCount ?? 0);
}
