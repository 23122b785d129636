import { BATCH_STATUS, type BookedBatch, type BookedRelayer, PAYOUT_STATUS, RECORDED_BATCH } from '@svc-pay/core';
import type pg from 'pg';
import { sqlIs, sqlIsNot } from '../database/status-sql.ts';

const PAGE = 50;
// Batches that another cell sent are checked there.
const MINED = `status ${sqlIs(...RECORDED_BATCH)}`;

type BatchRow = {
  readonly id: string;
  readonly relayer: string;
  readonly nonce: string;
  readonly transaction_id: string;
  readonly gas_booked: boolean;
  readonly lost: string;
};

export async function* readMinedBatches(
  client: pg.ClientBase,
  network: string,
): AsyncGenerator<readonly BookedBatch[]> {
  let after = '';
  for (;;) {
    const { rows } = await client.query<BatchRow>({
      name: 'ledger-batches',
      text: `select id, relayer, nonce, transaction_id, gas_booked, (
          select coalesce(sum(amount), 0) from svc.gas_losses loss where loss.batch_id = b.id
        ) as lost
        from svc.batches b where id > $1 and network = $2 and ${MINED} and not moved order by id limit $3`,
      values: [after, network, PAGE],
    });
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows.map(({ id, relayer, nonce, transaction_id: transactionId, gas_booked, lost }) => ({
      id,
      relayer,
      nonce: BigInt(nonce),
      transactionId,
      gasBooked: gas_booked,
      lostAtomic: BigInt(lost),
    }));
    if (rows.length < PAGE) return;
    after = last.id;
  }
}

export async function readExtent(client: pg.ClientBase, network: string) {
  const { rows } = await client.query<{ first: string | null; last: string | null }>(
    `select min(block_number) as first, max(block_number) as last from svc.batches where network = $1 and ${MINED} and not moved`,
    [network],
  );
  const { first = null, last = null } = rows[0] ?? {};
  return first === null || last === null ? undefined : { firstBlock: BigInt(first), lastBlock: BigInt(last) };
}

type RelayerRow = {
  readonly relayer: string;
  readonly first: string;
  readonly last: string;
  readonly last_mined: string | null;
  readonly missing: readonly string[] | null;
  readonly missing_count: string;
};

/**
 * A `replaced` batch may have been sent, so it accounts for its nonce. A `dropped` batch was never sent and does not.
 */
export async function readRelayers(client: pg.ClientBase, network: string): Promise<readonly BookedRelayer[]> {
  const { rows } = await client.query<RelayerRow>(
    `with used as (
       select relayer, nonce, bool_or(${MINED}) as mined from svc.batches
       where network = $1 and status ${sqlIsNot(BATCH_STATUS.dropped)} and not moved group by relayer, nonce
     ), steps as (
       select *, lead(nonce) over (partition by relayer order by nonce) - nonce - 1 as gap from used
     )
     select relayer, min(nonce) as first, max(nonce) as last, max(nonce) filter (where mined) as last_mined,
       (array_agg((nonce + 1)::text order by nonce) filter (where gap > 0))[1:5] as missing,
       coalesce(sum(gap), 0) as missing_count
     from steps group by relayer order by relayer`,
    [network],
  );
  return rows.map((row) => ({
    address: row.relayer,
    firstNonce: BigInt(row.first),
    lastNonce: BigInt(row.last),
    lastMinedNonce: row.last_mined === null ? null : BigInt(row.last_mined),
    missing: (row.missing ?? []).map(BigInt),
    missingCount: Number(row.missing_count),
  }));
}

/** Every relayer that ever had a lane on the network. */
export async function listRelayers(pool: pg.Pool, network: string): Promise<readonly string[]> {
  const { rows } = await pool.query<{ address: string }>(
    'select address from svc.relayers where network = $1 order by address',
    [network],
  );
  return rows.map(({ address }) => address);
}

/** Processors that payouts were ever registered with, in lower case. */
export async function listProcessors(pool: pg.Pool, network: string): Promise<readonly string[]> {
  const { rows } = await pool.query<{ processor: string }>(
    `select distinct lower(processor) as processor from svc.payouts
     where network = $1 and kind = 'processor' and status ${sqlIsNot(PAYOUT_STATUS.pending)}`,
    [network],
  );
  return rows.map(({ processor }) => processor);
}
