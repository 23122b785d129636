// DirectStore over Postgres.
import {
  type DirectStore,
  isoTime,
  type LinkedItem,
  NO_LINK,
  type OpenDirect,
  SETTLEMENT_STATUS,
  SETTLEMENT_TRANSITIONS,
} from '@svc-pay/core';
import { newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';
import { sqlStep } from '../database/status-sql.ts';
import { linkPayments } from '../payment/link-payments.ts';
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

/** The payment leaves its batch and names no transaction. */
async function queueAgain(pool: pg.Pool, { accountId, mode, paymentId }: OpenDirect, nowMs: number): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<LinkedItem['item']>({
      name: 'queue-held-direct',
      text: `
        update svc.settlements set status = ${QUEUED.to}, relayer = null, batch_id = null, updated_at = $4
        where account_id = $1 and mode = $2 and payment_id = $3 and direct and refusal is null and not held_for_merchant
          and status ${QUEUED.from}
        returning account_id as "accountId", mode, payment_id as "paymentId", intent_id as "intentId"`,
      values: [accountId, mode, paymentId, isoTime(nowMs)],
    });
    const requestId = newId('batch', nowMs);
    await linkPayments(
      client,
      rows.map((item) => ({ item, link: NO_LINK, requestId })),
      nowMs,
    );
    return rows.length === 1;
  });
}
