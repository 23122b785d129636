// Reads of the solo queue. Whose turn it is, core decides.
import {
  isoTime,
  type Lane,
  type LaneItem,
  PAYERS_LOOKED_AT,
  type QueueShare,
  readSoloQueue,
  SETTLEMENT_STATUS,
  type SoloPart,
  type SoloReads,
  type SoloTurns,
} from '@svc-pay/core';
import type pg from 'pg';
import { sqlIs } from '../database/status-sql.ts';
import {
  ITEM_COLUMNS,
  ITEM_JOINS,
  type LaneItemRow,
  laneItemOf,
  SETTLEMENT_COLUMNS,
} from '../payment/lane-item-row.ts';

/** Must match the conditions of the partial index of the solo queue. */
const QUEUED = `network = $1 and status ${sqlIs(SETTLEMENT_STATUS.queued)} and solo_payer is not null`;
const PROVEN = 'exists (select from svc.proven_wallets proven where proven.network = $1 and proven.payer = solo_payer)';

// All payments of a payer belong to one lane: it sends the next one when the result of the last is known.
const inShare = (payer: string, count: string, index: string) =>
  `(hashtextextended(${payer}, 0) & 2147483647) % ${count} = ${index}`;

/** The statements for one part of the queue. */
function readsOf(part: SoloPart) {
  const waits = `${QUEUED} and ${part === 'proven' ? PROVEN : `not ${PROVEN}`}`;
  const mine = `${waits} and ${inShare('solo_payer', '$3', '$4')}`;
  // Recursive skip scan: one index lookup per account or payer, independent of how many payments each has queued.
  const accounts = {
    name: `solo-queue-accounts-${part}`,
    text: `
    with recursive account (id, place) as (
      select (select account_id from svc.settlements where ${mine} and account_id > $2 order by account_id limit 1), 1
      union all
      select (
          select account_id from svc.settlements where ${mine} and account_id > account.id order by account_id limit 1
        ), place + 1
      from account where account.id is not null and place < $5
    )
    select id from account where id is not null order by id`,
  };
  const payers = {
    name: `solo-queue-payers-${part}`,
    text: `
    select asked.account, payer.id as payer, (
        select solo.next_at from svc.solo_payers solo where solo.network = $1 and solo.payer = payer.id
      ) as next_at
    from unnest($2::text[], $5::text[]) as asked (account, last_payer)
    cross join lateral (
      with recursive payer (id, place) as (
        select (
            select solo_payer from svc.settlements
            where ${mine} and account_id = asked.account and solo_payer > asked.last_payer order by solo_payer limit 1
          ), 1
        union all
        select (
            select solo_payer from svc.settlements
            where ${mine} and account_id = asked.account and solo_payer > payer.id order by solo_payer limit 1
          ), place + 1
        from payer where payer.id is not null and place < ${PAYERS_LOOKED_AT}
      )
      select id, place from payer where id is not null
    ) payer
    order by asked.account, payer.place`,
  };
  return { accounts, payers };
}
const PARTS = { proven: readsOf('proven'), others: readsOf('others') };

const ITEMS = {
  name: 'solo-queue-items',
  text: `
    with s as materialized (
      select found.* from (
        select * from unnest($2::text[], $3::text[]) as asked (account, payer) where ${inShare('payer', '$4', '$5')}
      ) asked
      cross join lateral (
        select ${SETTLEMENT_COLUMNS} from svc.settlements
        where ${QUEUED} and account_id = asked.account and solo_payer = asked.payer
          and (retry_at is null or retry_at <= $6)
        order by number limit 1
      ) found
    )
    select ${ITEM_COLUMNS} from s ${ITEM_JOINS}`,
};

type PayerRow = { readonly account: string; readonly payer: string; readonly next_at: Date | null };

export type SoloRead = {
  readonly part: SoloPart;
  readonly limit: number;
  readonly nowMs: number;
  readonly turns: SoloTurns;
};

export async function loadSoloQueue(
  pool: pg.Pool,
  { network }: Lane,
  { index, count }: QueueShare,
  { part, limit, nowMs, turns }: SoloRead,
): Promise<readonly LaneItem[]> {
  const { accounts, payers } = PARTS[part];
  const reads: SoloReads = {
    accountsAfter: async (account, most) => {
      const { rows } = await pool.query<{ id: string }>({
        ...accounts,
        values: [network, account, count, index, most],
      });
      return rows.map(({ id }) => id);
    },
    payersAfter: async (asked) => {
      const [ids, last] = [asked.map(({ account }) => account), asked.map(({ lastPayer }) => lastPayer)];
      const { rows } = await pool.query<PayerRow>({ ...payers, values: [network, ids, count, index, last] });
      return rows.map(({ next_at, ...row }) => ({ ...row, nextAtMs: next_at?.getTime() ?? null }));
    },
    firstItems: async (chosen) => {
      const keys = [chosen.map(({ account }) => account), chosen.map(({ payer }) => payer)];
      const values = [network, ...keys, count, index, isoTime(nowMs)];
      const { rows } = await pool.query<LaneItemRow>({ ...ITEMS, values });
      return rows.map(laneItemOf);
    },
  };
  return readSoloQueue(reads, turns, limit, nowMs);
}
