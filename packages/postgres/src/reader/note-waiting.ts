// Since when final logs wait to be applied. In the database, so that a restart does not begin anew.
import { isoTime, type MoneyLog } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type pg from 'pg';
import { expectedColumn } from '../database/planner.ts';
import { columnArrays } from '../database/statement-parameters.ts';

const LOGS = columnArrays<MoneyLog>(
  {
    transaction_id: ['text', ({ position }) => position.transactionId],
    log_index: ['integer', ({ position }) => position.logIndex],
    block_hash: ['text', ({ position }) => position.blockHash],
  },
  3,
);

// A log that another process applies now is left to it.
const NOTE = {
  name: 'note-waiting-logs',
  text: `
    with given as materialized (select *, ${expectedColumn('$1', 'network')} from ${LOGS.unnestWithPlace('given')}),
    asked as (
      select given.place::integer as place, log.network, log.transaction_id, log.log_index, log.waits_since
      from given
      join svc.read_logs log
        on log.network = given.network and log.transaction_id = given.transaction_id and log.log_index = given.log_index
      where log.block_hash = given.block_hash
      for update of log skip locked
    ),
    noted as (
      update svc.read_logs log set waits_since = $2::timestamptz from asked
      where log.network = asked.network and log.transaction_id = asked.transaction_id and log.log_index = asked.log_index
        and asked.waits_since is null
    )
    select place, coalesce(waits_since, $2::timestamptz) as since from asked`,
};

export async function noteWaiting(
  pool: pg.Pool,
  network: NetworkId,
  logs: readonly MoneyLog[],
  nowMs: number,
): Promise<readonly number[]> {
  if (logs.length === 0) return [];
  const { rows } = await pool.query<{ place: number; since: Date }>({
    ...NOTE,
    values: [network, isoTime(nowMs), ...LOGS.values(logs)],
  });
  const since = new Map(rows.map((row) => [row.place - 1, row.since.getTime()]));
  return logs.map((_, index) => since.get(index) ?? nowMs);
}
