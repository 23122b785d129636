// Deletes read logs that lanes have recorded: for nearly every payment that is all that the chain reader does. One
// statement for a page of logs.
import { type MoneyLog, PAYMENT_STATUS } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type pg from 'pg';
import { ONE_BY_KEY } from '../database/planner.ts';
import { sqlIs } from '../database/status-sql.ts';
import { countRead } from './count-read.ts';
import { ASKED_LOGS, PROVEN_INDEX, SAYS_THE_SAME } from './proven-by-lane.ts';

// A log that another process has is left to it. Payments that were completed before logs were proofs name their log themselves.
const DROP = {
  name: 'drop-recorded-logs',
  text: `
    with read as materialized (
      select read.*, coalesce((
          ${PROVEN_INDEX}
        ), (
          select read.log_index from svc.intent_codes code
          cross join lateral (
            select account_id, mode, payment_id from svc.intents intent
            where intent.account_id = code.account_id and intent.mode = code.mode and intent.id = code.intent_id
            ${ONE_BY_KEY}
          ) intent
          cross join lateral (
            select status, transaction_split_id, paid_amount, asset, payer from svc.payments payment
            where payment.account_id = intent.account_id and payment.mode = intent.mode and payment.id = intent.payment_id
            ${ONE_BY_KEY}
          ) payment
          where code.intent_code = read.intent_code and payment.status ${sqlIs(PAYMENT_STATUS.completed, PAYMENT_STATUS.refunded)}
            and payment.transaction_split_id = read.transaction_id || ':' || read.log_index
            and ${SAYS_THE_SAME}
          ${ONE_BY_KEY}
        ), (
          select split_part(payment.transaction_split_id, ':', 2)::integer from svc.claims claim
          cross join lateral (
            select status, transaction_id, transaction_split_id from svc.payments payment
            where payment.account_id = claim.account_id and payment.mode = claim.mode and payment.id = claim.payment_id
            ${ONE_BY_KEY}
          ) payment
          where claim.claim_key = read.claim_key and payment.transaction_id = read.transaction_id
            and payment.status ${sqlIs(PAYMENT_STATUS.completed, PAYMENT_STATUS.refunded)}
          ${ONE_BY_KEY}
        )) as proof_index
      from ${ASKED_LOGS.unnestWithPlace('read')}
    ),
    recorded as (
      select read.place, read.transaction_id, read.log_index, read.proof_index from read
      join svc.read_logs log
        on log.network = $1 and log.transaction_id = read.transaction_id and log.log_index = read.log_index
          and log.block_hash = read.block_hash
      where read.proof_index is not null
      for update of log skip locked
    ),
    removed as (
      delete from svc.read_logs log using recorded
      where log.network = $1 and log.transaction_id = recorded.transaction_id and log.log_index = recorded.log_index
      returning recorded.place, recorded.transaction_id, recorded.proof_index
    ), ${countRead('removed')}
    select place::integer from removed`,
};

export async function dropRecorded(
  pool: pg.Pool,
  network: NetworkId,
  logs: readonly MoneyLog[],
): Promise<readonly MoneyLog[]> {
  if (logs.length === 0) return logs;
  const { rows } = await pool.query<{ place: number }>({
    ...DROP,
    values: [network, ...ASKED_LOGS.values(logs.map((log) => ({ network, log })))],
  });
  const dropped = new Set(rows.map(({ place }) => place - 1));
  return logs.filter((_, index) => !dropped.has(index));
}
