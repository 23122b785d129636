// What the next restore of a network must read, as long as an earlier one did not end with everything in the books. No
// statement raises the block: two restores that write at the same time leave the lower one.
import { isoTime, type OpenRestore } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type pg from 'pg';
import type { Operation } from '../audit/operation.ts';
import { PLATFORM } from '../audit/platform.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { inTransaction } from '../database/in-transaction.ts';

type Row = { readonly from_block: string | null; readonly relayers: readonly string[] };

const openOf = ({ from_block, relayers }: Row): OpenRestore => ({
  fromBlock: from_block === null ? undefined : BigInt(from_block),
  relayers,
});

export async function loadOpenRestore(pool: pg.Pool, network: NetworkId): Promise<OpenRestore | undefined> {
  const { rows } = await pool.query<Row>('select from_block, relayers from svc.open_restores where network = $1', [
    network,
  ]);
  return rows.map(openOf)[0];
}

export async function openRestore(
  pool: pg.Pool,
  network: NetworkId,
  { fromBlock, relayers }: OpenRestore,
  nowMs: number,
): Promise<OpenRestore> {
  // `least` passes over null: a block that an operator names takes the place of one that nobody knows.
  const { rows } = await pool.query<Row>(
    `insert into svc.open_restores as kept (network, from_block, relayers, opened_at, updated_at)
     values ($1, $2, $3, $4, $4)
     on conflict (network) do update set from_block = least(kept.from_block, excluded.from_block),
       relayers = array(select distinct unnest(kept.relayers || excluded.relayers) order by 1), updated_at = $4
     returning from_block, relayers`,
    [network, fromBlock?.toString(), relayers, isoTime(nowMs)],
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`the restore of ${network} was not noted`);
  return openOf(row);
}

/** An operator accepts that something is not in the books, or was noted by mistake. Returns what was noted. */
export async function acceptOpenRestore(
  { pool, nowMs, actor }: Operation,
  network: NetworkId,
  reason: string,
): Promise<OpenRestore | undefined> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<Row>(
      'delete from svc.open_restores where network = $1 returning from_block, relayers',
      [network],
    );
    const [row] = rows;
    if (row === undefined) return undefined;
    const detail = { fromBlock: row.from_block, relayers: row.relayers, reason };
    const entry = { accountId: PLATFORM, mode: 'live', actor, action: 'restore.accepted', target: network, detail };
    await writeAudit(client, nowMs, entry);
    return openOf(row);
  });
}

export async function closeRestore(
  pool: pg.Pool,
  network: NetworkId,
  { fromBlock, relayers }: OpenRestore,
): Promise<OpenRestore | undefined> {
  // Where nobody knows the block, only the whole history is enough.
  await pool.query(
    `delete from svc.open_restores
     where network = $1 and coalesce(from_block, 0) >= $2 and relayers <@ $3::text[]`,
    [network, fromBlock?.toString(), relayers],
  );
  return loadOpenRestore(pool, network);
}
