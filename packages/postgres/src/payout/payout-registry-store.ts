// PayoutRegistryStore over Postgres.
import { isoTime, type Payout, type PayoutRegistryStore, type PayoutsToMirror } from '@svc-pay/core';
import type pg from 'pg';
import { sqlNotMoved } from '../database/not-moved.ts';
import { mirrorPayout } from './mirror-payout.ts';
import { PAYOUT_COLUMNS, type PayoutDbRow, payoutOf } from './payout-row.ts';

/** `actor` is the actor of the audit records. */
export function createPayoutRegistryStore(pool: pg.Pool, actor: string): PayoutRegistryStore {
  return {
    loadPayoutsToMirror: (...given) => loadPayoutsToMirror(pool, ...given),
    mirrorPayout: (registered, nowMs) => mirrorPayout({ pool, nowMs, actor }, registered),
    markCompared: async ({ network, processor }, payouts) => {
      if (payouts.length === 0) return;
      const ids = payouts.map(({ payoutId }) => payoutId);
      await pool.query({ ...MARK_COMPARED, values: [network, processor.toLowerCase(), ids] });
    },
    loadRegistryPosition: async ({ network, processor }) => {
      const { rows } = await pool.query<PositionRow>({ ...LOAD_POSITION, values: [network, processor.toLowerCase()] });
      const [row] = rows;
      return row && positionOf(row);
    },
    saveRegistryPosition: async ({ network, processor }, { blockNumber, sweepBeganAtMs, sweepAfter }) => {
      const values = [
        network,
        processor.toLowerCase(),
        blockNumber.toString(),
        isoTime(sweepBeganAtMs),
        sweepAfter?.toString(),
      ];
      await pool.query({ ...SAVE_POSITION, values });
    },
  };
}

// A payout of an account that moved is followed by the cell that has it.
const OF_THIS_CELL = sqlNotMoved('payout.account_id');
// Each has an index that ends with the id: of all, and of those that are not compared.
const page = (name: string, condition: string) => ({
  name,
  text: `
    select ${PAYOUT_COLUMNS} from svc.payouts payout
    where network = $1 and processor = $2 and payout.payout_id > $3 and kind = 'processor' and ${condition}
      and ${OF_THIS_CELL}
    order by payout.payout_id limit $4`,
});
const ALL = page('load-payouts-to-mirror', `status <> 'disabled'`);
const UNCOMPARED = page('load-uncompared-payouts', `status <> 'disabled' and (status = 'pending' or not compared)`);
const NAMED = page('load-named-payouts', `status <> 'disabled' and payout.payout_id = any ($5::bigint[])`);

/** A number that anybody may log need not fit a Postgres bigint. */
const MOST_ID = 2n ** 63n - 1n;

async function loadPayoutsToMirror(
  pool: pg.Pool,
  { network, processor }: { readonly network: string; readonly processor: string },
  which: PayoutsToMirror,
  after: bigint,
  limit: number,
): Promise<readonly Payout[]> {
  const values = [network, processor.toLowerCase(), after.toString(), limit];
  const ids = typeof which === 'string' ? [] : which.filter((id) => id <= MOST_ID).map(String);
  const named = { ...NAMED, values: [...values, ids] };
  const { rows } = await pool.query<PayoutDbRow>(
    typeof which === 'string' ? { ...(which === 'all' ? ALL : UNCOMPARED), values } : named,
  );
  return rows.map(payoutOf);
}

const MARK_COMPARED = {
  name: 'mark-payouts-compared',
  text: `
    update svc.payouts payout set compared = true
    where network = $1 and processor = $2 and payout.payout_id = any ($3::bigint[]) and kind = 'processor'
      and status = 'active' and not compared and ${OF_THIS_CELL}`,
};
const LOAD_POSITION = {
  name: 'load-registry-position',
  text: `
    select block_number::text, sweep_began_at, sweep_after::text from svc.registry_positions
    where network = $1 and processor = $2`,
};
const SAVE_POSITION = {
  name: 'save-registry-position',
  text: `
    insert into svc.registry_positions (network, processor, block_number, sweep_began_at, sweep_after)
    values ($1, $2, $3, $4, $5)
    on conflict (network, processor) do update
    set block_number = excluded.block_number, sweep_began_at = excluded.sweep_began_at, sweep_after = excluded.sweep_after`,
};

type PositionRow = {
  readonly block_number: string;
  readonly sweep_began_at: Date;
  readonly sweep_after: string | null;
};

const positionOf = (row: PositionRow) => ({
  blockNumber: BigInt(row.block_number),
  sweepBeganAtMs: row.sweep_began_at.getTime(),
  sweepAfter: row.sweep_after === null ? null : BigInt(row.sweep_after),
});
