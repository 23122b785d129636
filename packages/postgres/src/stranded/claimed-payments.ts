// Loads claimed payments with everything that is needed to prove their authorization outcomes.
import { type ClaimedPayment, SETTLEMENT_STATUS } from '@svc-pay/core';
import type pg from 'pg';
import { NOT_MERGED } from '../database/planner.ts';
import { sqlIs } from '../database/status-sql.ts';
import {
  ITEM_COLUMNS,
  ITEM_JOINS,
  type LaneItemRow,
  laneItemOf,
  SETTLEMENT_COLUMNS,
} from '../payment/lane-item-row.ts';

type Row = LaneItemRow & {
  readonly claim_key: Buffer;
  readonly settlement: string;
  readonly claimed_at: string;
};

const COLUMNS = `
  s.claim_key, s.status as settlement, extract(epoch from a.created_at)::bigint as claimed_at, ${ITEM_COLUMNS}`;

const HELD = {
  name: 'load-held-payments',
  text: `
    with s as materialized (
      select ${SETTLEMENT_COLUMNS}, status from svc.settlements held
      where network = $1 and status ${sqlIs(SETTLEMENT_STATUS.held)} and not direct and number > $2 and not exists (
        select from svc.stranded_transfers r
        where r.account_id = held.account_id and r.mode = held.mode and r.claim_key = held.claim_key
      )
      order by number limit $3
    )
    select ${COLUMNS} from s ${ITEM_JOINS} order by s.number`,
};

/** Held payments with a number above `afterNumber` and without a recorded stranded transfer, oldest first. */
export async function loadHeldPayments(
  pool: pg.Pool,
  network: string,
  afterNumber: bigint,
  limit: number,
): Promise<readonly ClaimedPayment[]> {
  const { rows } = await pool.query<Row>({ ...HELD, values: [network, afterNumber.toString(), limit] });
  return rows.map(claimedOf);
}

const BY_PAYMENT = {
  name: 'load-claimed-payments',
  text: `
    with s as materialized (
      select ${SETTLEMENT_COLUMNS}, status
      from unnest($1::text[], $2::text[], $3::text[]) as wanted (owner, owner_mode, payment)
      cross join lateral (
        select * from svc.settlements found
        where found.account_id = wanted.owner and found.mode = wanted.owner_mode and found.payment_id = wanted.payment
        ${NOT_MERGED}
      ) found
    )
    select ${COLUMNS} from s ${ITEM_JOINS}`,
};

/** Claimed payments by payment id. */
export async function loadClaimedPayments(
  pool: pg.Pool | pg.ClientBase,
  payments: readonly { readonly accountId: string; readonly mode: string; readonly paymentId: string | null }[],
): Promise<ReadonlyMap<string, ClaimedPayment>> {
  const named = payments.filter(({ paymentId }) => paymentId !== null);
  if (named.length === 0) return new Map();
  const { rows } = await pool.query<Row>({
    ...BY_PAYMENT,
    values: [
      named.map(({ accountId }) => accountId),
      named.map(({ mode }) => mode),
      named.map(({ paymentId }) => paymentId),
    ],
  });
  return new Map(rows.map((row) => [row.payment_id, claimedOf(row)]));
}

function claimedOf(row: Row): ClaimedPayment {
  return {
    accountId: row.account_id,
    mode: row.mode,
    intentId: row.intent_id,
    claimKey: row.claim_key,
    item: laneItemOf(row),
    settlement: row.settlement,
    claimedAtSeconds: BigInt(row.claimed_at),
  };
}
