// Counts logs that lanes have recorded from the same block, in the transaction that passes the block: they are not stored.
//
// Their block need not be final. A reorg that removes it changes the block of the batch, with the count and the proofs
// (`reverseBatch`, `moveBatch`), so that what a final batch has counted was read in its final block. A batch that is recorded
// in another block than the log is left to the log's own finality.
import type { MoneyLog } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type pg from 'pg';
import { expectedColumn, ONE_BY_KEY, withoutIndex } from '../database/planner.ts';
import { namedParameters } from '../database/statement-parameters.ts';
import { countRead } from './count-read.ts';
import { ASKED_LOGS, PROVEN_INDEX } from './proven-by-lane.ts';

// Batches are locked before their proofs are marked, as a reorg locks them: what it changed meanwhile is seen here, and no
// two of them wait for each other. In a statement of their own: planner rule 14. A batch that no lane has recorded yet is left
// alone: a lane records several in one transaction, in the order of their nonces.
const HOLD = {
  name: 'hold-batches-to-count',
  text: `
    select id from svc.batches
    where block_hash is not null and id = any (array(
      select batch_id from svc.batch_transactions where network = $1 and transaction_id = any ($2::text[])
    ))
    order by id for no key update`,
};
const HELD = namedParameters({ batches: 'text[]' }, ASKED_LOGS.next);
const COUNT = {
  name: 'count-proven-logs',
  text: `
    with read as materialized (
      select read.place, read.transaction_id, read.block_hash, own.batch_id, (${PROVEN_INDEX}) as proof_index
      from ${ASKED_LOGS.unnestWithPlace('read')}
      cross join lateral (
        select batch_id from svc.batch_transactions own
        where own.network = $1 and own.transaction_id = read.transaction_id ${ONE_BY_KEY}
      ) own
    ),
    proven as materialized (
      select read.place, ${expectedColumn('$1', 'network')}, read.transaction_id, read.proof_index from read
      join svc.batches held
        on held.id = read.batch_id and held.transaction_id = read.transaction_id and held.block_hash = read.block_hash
      where read.proof_index is not null and ${withoutIndex('held.id')} = any (${HELD.at.batches})
    ), ${countRead('proven')}
    select place::integer from proven`,
};

const isOfLane = ({ event }: MoneyLog) => event === 'payment_settled';

/** Returns the logs that are left to store. */
export async function countProven(
  client: pg.ClientBase,
  network: NetworkId,
  logs: readonly MoneyLog[],
): Promise<readonly MoneyLog[]> {
  const settled = logs.filter(isOfLane);
  if (settled.length === 0) return logs;
  const transactions = [...new Set(settled.map(({ position }) => position.transactionId))];
  const held = await client.query<{ id: string }>({ ...HOLD, values: [network, transactions] });
  if (held.rows.length === 0) return logs;
  const { rows } = await client.query<{ place: number }>({
    ...COUNT,
    values: [
      network,
      ...ASKED_LOGS.values(settled.map((log) => ({ network, log }))),
      ...HELD.values({ batches: held.rows.map(({ id }) => id) }),
    ],
  });
  const proven = new Set(rows.map(({ place }) => settled[place - 1]));
  return logs.filter((log) => !proven.has(log));
}
