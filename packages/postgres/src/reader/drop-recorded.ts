// Deletes read logs that lanes have recorded: for nearly every payment that is all that the chain reader does. Two
// statements for a page of logs.
import { type MoneyLog, PAYMENT_STATUS } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';
import { expectedColumn, ONE_BY_KEY } from '../database/planner.ts';
import { sqlIs } from '../database/status-sql.ts';
import { countRead } from './count-read.ts';
import { ASKED_LOGS, PROVEN_INDEX, SAYS_THE_SAME } from './proven-by-lane.ts';

// A log that another process has is left to it. In a statement of its own: planner rule 14.
const HOLD = {
  name: 'hold-recorded-logs',
  text: `
    with read as materialized (
      select *, ${expectedColumn('$1', 'network')} from ${ASKED_LOGS.unnestWithPlace('read')}
    )
    select read.place::integer from read
    join svc.read_logs log
      on log.network = read.network and log.transaction_id = read.transaction_id and log.log_index = read.log_index
    where log.block_hash = read.block_hash
    for update of log skip locked`,
};

// Payments that were completed before logs were proofs name their log themselves.
const DROP = {
  name: 'drop-recorded-logs',
  text: `
    with read as materialized (
      select read.*, ${expectedColumn('$1', 'network')}, coalesce((
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
    removed as (
      delete from svc.read_logs log using read
      where log.network = read.network and log.transaction_id = read.transaction_id and log.log_index = read.log_index
        and read.proof_index is not null
      returning read.place, read.network, read.transaction_id, read.proof_index
    ), ${countRead('removed')}
    select place::integer from removed`,
};

export async function dropRecorded(
  pool: pg.Pool,
  network: NetworkId,
  logs: readonly MoneyLog[],
): Promise<readonly MoneyLog[]> {
  if (logs.length === 0) return logs;
  const dropped = await inTransaction(pool, async (client) => {
    const held = await logsOf(client, HOLD, network, logs);
    return held.length === 0 ? held : logsOf(client, DROP, network, held);
  });
  const gone = new Set(dropped);
  return logs.filter((log) => !gone.has(log));
}

/** Those of `logs` that the statement returns, by their place. */
async function logsOf(
  client: pg.ClientBase,
  statement: { readonly name: string; readonly text: string },
  network: NetworkId,
  logs: readonly MoneyLog[],
): Promise<readonly MoneyLog[]> {
  const { rows } = await client.query<{ place: number }>({
    ...statement,
    values: [network, ...ASKED_LOGS.values(logs.map((log) => ({ network, log })))],
  });
  const found = new Set(rows.map(({ place }) => place - 1));
  return logs.filter((_, index) => found.has(index));
}
