// Readings of RPC nodes. Settlement writes, the operator's page reads.
import { isoTime, type NodeReading, type NodeReadingStore } from '@svc-pay/core';
import type pg from 'pg';
import { columnArrays } from '../database/statement-parameters.ts';

// A node may answer any number: one that can't be stored is left out, and spoils no reading of the others.
const MAX_HEAD = 2n ** 63n;
/** The last second of the year 9999. */
const MAX_SECONDS = 253_402_300_799n;
const textOf = (value: bigint) => (value < MAX_HEAD ? value.toString() : null);
const timeOf = (seconds: bigint | undefined) =>
  seconds === undefined || seconds > MAX_SECONDS ? null : isoTime(Number(seconds) * 1_000);

const READ = columnArrays<NodeReading>({
  endpoint: ['integer', ({ endpoint }) => endpoint],
  answered: ['boolean', ({ answered }) => answered],
  other_chain: ['boolean', (reading) => !reading.answered && reading.otherChain],
  took_ms: ['integer', ({ tookMs }) => Math.round(tookMs)],
  head: ['bigint', (reading) => (reading.answered ? textOf(reading.head) : null)],
  head_time: ['timestamptz', (reading) => (reading.answered ? timeOf(reading.headSeconds) : null)],
  final_head: ['bigint', (reading) => (reading.answered ? textOf(reading.finalHead) : null)],
  final_time: ['timestamptz', (reading) => (reading.answered ? timeOf(reading.finalSeconds) : null)],
});
const [NETWORK, AT] = [`$${READ.next}`, `$${READ.next + 1}`];
const kept = (column: string) =>
  `${column} = case when excluded.answered then excluded.${column} else known.${column} end`;

const RECORD = {
  name: 'record-node-readings',
  text: `
    with read as materialized (select * from ${READ.unnest('seen')}),
    gone as (
      delete from svc.node_readings old
      where old.network = ${NETWORK} and not exists (select from read where read.endpoint = old.endpoint)
    )
    insert into svc.node_readings as known (
      network, endpoint, answered, other_chain, took_ms, head, head_time, final_head, final_time, answered_at, read_at
    )
    select ${NETWORK}, endpoint, answered, other_chain, took_ms, head, head_time, final_head, final_time,
      case when answered then ${AT}::timestamptz end, ${AT}
    from read
    on conflict (network, endpoint) do update
    set answered = excluded.answered, other_chain = excluded.other_chain, took_ms = excluded.took_ms,
      read_at = excluded.read_at,
      ${['head', 'head_time', 'final_head', 'final_time', 'answered_at'].map(kept).join(', ')}`,
};

export function createNodeReadingStore(pool: pg.Pool): NodeReadingStore {
  return {
    recordNodes: async (network, readings, nowMs) => {
      await pool.query({ ...RECORD, values: [...READ.values(readings), network, isoTime(nowMs)] });
    },
  };
}
