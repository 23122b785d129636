// DirectStore over Postgres.
import { type DirectStore, isoTime, type OpenDirect, SETTLEMENT_STATUS, SETTLEMENT_TRANSITIONS } from '@svc-pay/core';
import type pg from 'pg';
import { sqlStep } from '../database/status-sql.ts';
import { closeRefused } from '../payment/refused-authorizations.ts';
import { closeAuthorizations } from '../stranded/watched-authorizations.ts';
import { failExpired, failUsed } from './fail-direct.ts';
import { loadOpenDirect, loadOpenRefused } from './open-direct.ts';

export function createDirectStore(pool: pg.Pool): DirectStore {
  return {
    loadOpenDirect: (...given) => loadOpenDirect(pool, ...given),
    loadOpenRefused: (...given) => loadOpenRefused(pool, ...given),
    closeDirect: (over, nowMs) => closeAuthorizations(pool, over, nowMs),
    closeRefused: (claimKeys, nowMs) => closeRefused(pool, claimKeys, nowMs),
    failExpired: (...given) => failExpired(pool, ...given),
    failUsed: (...given) => failUsed(pool, ...given),
    queueAgain: (...given) => queueAgain(pool, ...given),
  };
}

const QUEUED = sqlStep(SETTLEMENT_TRANSITIONS, SETTLEMENT_STATUS.held, SETTLEMENT_STATUS.queued);

async function queueAgain(pool: pg.Pool, { accountId, mode, paymentId }: OpenDirect, nowMs: number): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: 'queue-held-direct',
    text: `
      update svc.settlements set status = ${QUEUED.to}, relayer = null, batch_id = null, updated_at = $4
      where account_id = $1 and mode = $2 and payment_id = $3 and direct and refusal is null and not held_for_merchant
        and status ${QUEUED.from}`,
    values: [accountId, mode, paymentId, isoTime(nowMs)],
  });
  return rowCount === 1;
}
