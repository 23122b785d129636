// ReaderStore over Postgres.
import type { BlockRef, MoneyLog, ReaderStore } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type pg from 'pg';
import { noteWaiting } from './note-waiting.ts';
import { selectOwn } from './own-logs.ts';
import { keepLogs, passBlocks, rewind } from './pass-blocks.ts';
import { moneyLogOf, READ_LOG_COLUMNS, type ReadLogRow } from './read-log-row.ts';
import { loadCursors, loadSources, startCursors } from './reader-sources.ts';

export function createReaderStore(pool: pg.Pool): ReaderStore {
  return {
    loadSources: (network) => loadSources(pool, network),
    loadCursors: (network) => loadCursors(pool, network),
    startCursors: (...given) => startCursors(pool, ...given),
    selectOwn: (...given) => selectOwn(pool, ...given),
    passBlocks: (pass) => passBlocks(pool, pass),
    keepLogs: (...given) => keepLogs(pool, ...given),
    loadPassedBlocks: (...given) => loadPassedBlocks(pool, ...given),
    rewind: (...given) => rewind(pool, ...given),
    loadUnapplied: (...given) => loadUnapplied(pool, ...given),
    noteWaiting: (...given) => noteWaiting(pool, ...given),
    forgetBlocks: (...given) => forgetBlocks(pool, ...given),
  };
}

const LOAD_BLOCKS = {
  name: 'load-reader-blocks',
  text: `
    select block_number, block_hash, block_time from svc.reader_blocks where network = $1 and block_number <= $2
    order by block_number desc limit $3`,
};

async function loadPassedBlocks(
  pool: pg.Pool,
  network: NetworkId,
  number: bigint,
  limit: number,
): Promise<readonly BlockRef[]> {
  const { rows } = await pool.query<{ block_number: string; block_hash: string; block_time: string }>({
    ...LOAD_BLOCKS,
    values: [network, number.toString(), limit],
  });
  return rows.map((row) => ({
    number: BigInt(row.block_number),
    hash: row.block_hash,
    timeSeconds: BigInt(row.block_time),
  }));
}

const LOAD_UNAPPLIED = {
  name: 'load-unapplied-logs',
  text: `
    select ${READ_LOG_COLUMNS} from svc.read_logs
    where network = $1 and block_number <= $2 and (block_number, log_index) > ($3::bigint, $4::integer)
    order by block_number, log_index limit $5`,
};

async function loadUnapplied(
  pool: pg.Pool,
  network: NetworkId,
  throughBlock: bigint,
  after: MoneyLog | undefined,
  limit: number,
): Promise<readonly MoneyLog[]> {
  const { blockNumber = -1n, logIndex = -1 } = after?.position ?? {};
  const { rows } = await pool.query<ReadLogRow>({
    ...LOAD_UNAPPLIED,
    values: [network, throughBlock.toString(), blockNumber.toString(), logIndex, limit],
  });
  return rows.map(moneyLogOf);
}

const FORGET_BLOCKS = {
  name: 'forget-reader-blocks',
  text: `
    delete from svc.reader_blocks where network = $1 and block_number < (
      select max(block_number) from svc.reader_blocks where network = $1 and block_number <= $2
    )`,
};

async function forgetBlocks(pool: pg.Pool, network: NetworkId, number: bigint): Promise<void> {
  await pool.query({ ...FORGET_BLOCKS, values: [network, number.toString()] });
}
