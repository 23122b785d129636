// Moves the cursors of the chain reader, forward with the logs that were read and back after a reorg.
import { type BlockPass, type BlockRef, isoTime, type MoneyLog } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';
import { countProven } from './count-proven.ts';
import { LOG_ARRAYS } from './read-log-row.ts';

// Locked in one order, so that two processes that pass overlapping sources wait for each other instead of failing.
const MOVE = {
  name: 'move-reader-cursors',
  text: `
    with locked as (
      select address from svc.reader_cursors
      where network = $1 and address = any ($2::text[]) and block_number = $3 and block_hash = $4
      order by address for update
    )
    update svc.reader_cursors c set block_number = $5, block_hash = $6, block_time = $7, updated_at = $8
    from locked where c.network = $1 and c.address = locked.address and c.block_number = $3 and c.block_hash = $4`,
};

const WRITE_LOGS = {
  name: 'write-read-logs',
  text: `
    insert into svc.read_logs (
      network, created_at, transaction_id, log_index, address, block_number, block_hash, event, log
    )
    select $1, $2::timestamptz, * from ${LOG_ARRAYS.unnest('read')}
    on conflict (network, transaction_id, log_index) do update set
      waits_since = case when read_logs.block_hash = excluded.block_hash then read_logs.waits_since end,
      created_at = excluded.created_at, address = excluded.address, block_number = excluded.block_number,
      block_hash = excluded.block_hash, event = excluded.event, log = excluded.log`,
};

const REMEMBER = {
  name: 'remember-reader-block',
  text: `
    insert into svc.reader_blocks (network, block_number, block_hash, block_time) values ($1, $2, $3, $4)
    on conflict (network, block_number) do update set
      block_hash = excluded.block_hash, block_time = excluded.block_time`,
};

export async function keepLogs(
  client: pg.ClientBase | pg.Pool,
  network: NetworkId,
  logs: readonly MoneyLog[],
  nowMs: number,
): Promise<void> {
  if (logs.length === 0) return;
  await client.query({ ...WRITE_LOGS, values: [network, isoTime(nowMs), ...LOG_ARRAYS.values(logs)] });
}

class CursorMoved extends Error {
  override readonly name = 'CursorMoved';
}

/** False, and nothing is written, unless every source has a cursor at `from`. */
export async function passBlocks(pool: pg.Pool, pass: BlockPass): Promise<boolean> {
  const { network, sources, from, to, logs, nowMs } = pass;
  const addresses = [...new Set(sources.map(({ address }) => address))];
  try {
    await inTransaction(pool, async (client) => {
      const moved = await client.query({
        ...MOVE,
        values: [network, addresses, from.number.toString(), from.hash, ...blockValues(to), isoTime(nowMs)],
      });
      if (moved.rowCount !== addresses.length) throw new CursorMoved(`a cursor of ${network} is not at ${from.number}`);
      await keepLogs(client, network, await countProven(client, network, logs), nowMs);
      await remember(client, network, to);
    });
    return true;
  } catch (problem) {
    if (problem instanceof CursorMoved) return false;
    throw problem;
  }
}

const REWIND = {
  name: 'rewind-reader-cursors',
  text: `
    with locked as (
      select address from svc.reader_cursors where network = $1 and block_number > $2 order by address for update
    )
    update svc.reader_cursors c set block_number = $2, block_hash = $3, block_time = $4, updated_at = $5
    from locked where c.network = $1 and c.address = locked.address and c.block_number > $2`,
};

export async function rewind(pool: pg.Pool, network: NetworkId, to: BlockRef, nowMs: number): Promise<void> {
  await inTransaction(pool, async (client) => {
    await client.query({ ...REWIND, values: [network, ...blockValues(to), isoTime(nowMs)] });
    for (const table of ['read_logs', 'reader_blocks']) {
      await client.query({
        name: `rewind-${table}`,
        text: `delete from svc.${table} where network = $1 and block_number > $2`,
        values: [network, to.number.toString()],
      });
    }
    await remember(client, network, to);
  });
}

const remember = (client: pg.ClientBase, network: NetworkId, block: BlockRef) =>
  client.query({ ...REMEMBER, values: [network, ...blockValues(block)] });

const blockValues = ({ number, hash, timeSeconds }: BlockRef): readonly string[] => [
  number.toString(),
  hash,
  timeSeconds.toString(),
];
