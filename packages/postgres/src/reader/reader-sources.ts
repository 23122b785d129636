// The sources of logs: every processor that a payout of the network ever named, and every token of a direct payout.
import type { OfferedSource, ReaderCursor, ReaderSource } from '@svc-pay/core';
import { isoTime } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type pg from 'pg';

/** Distinct values of an indexed column, one index lookup each, however many rows have them. */
const distinct = (column: string, kind: string): string => `
  recursive_${column} as (
    (select min(${column}) as address from svc.payouts where network = $1 and kind = '${kind}')
    union all
    select (
      select min(p.${column}) from svc.payouts p where p.network = $1 and p.kind = '${kind}' and p.${column} > last.address
    )
    from recursive_${column} last where last.address is not null
  )`;

// The start is looked for only while a processor has no cursor: it reads the batches and the payouts.
const LOAD_SOURCES = {
  name: 'load-reader-sources',
  text: `
    with recursive ${distinct('processor', 'processor')}, ${distinct('asset', 'direct')}
    select lower(address) as address, 'processor' as kind, start.first_block, start.offered_at
    from recursive_processor found
    left join lateral (
      select (select min(b.block_number) from svc.batches b where b.network = $1) as first_block, (
          select floor(extract(epoch from min(p.created_at)))::bigint from svc.payouts p
          where p.network = $1 and p.processor = found.address and p.kind = 'processor'
        ) as offered_at
      where not exists (
        select from svc.reader_cursors c where c.network = $1 and c.address = lower(found.address)
      )
    ) start on true
    where address is not null
    union
    select lower(address), 'token', null, null from recursive_asset where address is not null`,
};

type SourceRow = Pick<ReaderSource, 'address' | 'kind'> & {
  readonly first_block: string | null;
  readonly offered_at: string | null;
};

export async function loadSources(pool: pg.Pool, network: NetworkId): Promise<readonly OfferedSource[]> {
  const { rows } = await pool.query<SourceRow>({ ...LOAD_SOURCES, values: [network] });
  return rows.map(({ address, kind, first_block, offered_at }) => ({
    address,
    kind,
    firstBlock: first_block === null ? undefined : BigInt(first_block),
    offeredAtSeconds: offered_at === null ? undefined : BigInt(offered_at),
  }));
}

type CursorRow = Pick<ReaderSource, 'address' | 'kind'> & {
  readonly block_number: string;
  readonly block_hash: string;
  readonly block_time: string;
};

const LOAD_CURSORS = {
  name: 'load-reader-cursors',
  text: `
    select address, kind, block_number, block_hash, block_time from svc.reader_cursors where network = $1
    order by address`,
};

export async function loadCursors(pool: pg.Pool, network: NetworkId): Promise<readonly ReaderCursor[]> {
  const { rows } = await pool.query<CursorRow>({ ...LOAD_CURSORS, values: [network] });
  return rows.map(({ address, kind, ...row }) => ({
    address,
    kind,
    at: { number: BigInt(row.block_number), hash: row.block_hash, timeSeconds: BigInt(row.block_time) },
  }));
}

const START = {
  name: 'start-reader-cursors',
  text: `
    with given as (
      select * from unnest($2::text[], $3::text[], $4::bigint[], $5::text[], $6::bigint[])
        as given (address, kind, block_number, block_hash, block_time)
    ),
    started as (
      insert into svc.reader_cursors (network, address, kind, block_number, block_hash, block_time, updated_at)
      select $1, address, kind, block_number, block_hash, block_time, $7::timestamptz from given
      on conflict do nothing returning block_number, block_hash, block_time
    )
    insert into svc.reader_blocks (network, block_number, block_hash, block_time)
    select distinct on (block_number) $1, block_number, block_hash, block_time from started
    on conflict do nothing`,
};

export async function startCursors(
  pool: pg.Pool,
  network: NetworkId,
  cursors: readonly ReaderCursor[],
  nowMs: number,
): Promise<void> {
  if (cursors.length === 0) return;
  await pool.query({
    ...START,
    values: [
      network,
      cursors.map(({ address }) => address),
      cursors.map(({ kind }) => kind),
      cursors.map(({ at }) => at.number.toString()),
      cursors.map(({ at }) => at.hash),
      cursors.map(({ at }) => at.timeSeconds.toString()),
      isoTime(nowMs),
    ],
  });
}
