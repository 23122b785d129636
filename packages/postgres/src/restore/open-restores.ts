// What the next restore of a network must read, as long as an earlier one did not end with everything in the books. No
// statement raises the block: two restores that write at the same time leave the lower one.
import { isoTime, type OpenRestore } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type pg from 'pg';

type Row = { readonly from_block: string; readonly relayers: readonly string[] };

const openOf = ({ from_block, relayers }: Row): OpenRestore => ({ fromBlock: BigInt(from_block), relayers });

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
  const { rows } = await pool.query<Row>(
    `insert into svc.open_restores as kept (network, from_block, relayers, opened_at, updated_at)
     values ($1, $2, $3, $4, $4)
     on conflict (network) do update set from_block = least(kept.from_block, excluded.from_block),
       relayers = array(select distinct unnest(kept.relayers || excluded.relayers) order by 1), updated_at = $4
     returning from_block, relayers`,
    [network, fromBlock.toString(), relayers, isoTime(nowMs)],
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`the restore of ${network} was not noted`);
  return openOf(row);
}

export async function closeRestore(
  pool: pg.Pool,
  network: NetworkId,
  { fromBlock, relayers }: OpenRestore,
): Promise<OpenRestore | undefined> {
  await pool.query('delete from svc.open_restores where network = $1 and from_block >= $2 and relayers <@ $3::text[]', [
    network,
    fromBlock.toString(),
    relayers,
  ]);
  return loadOpenRestore(pool, network);
}
