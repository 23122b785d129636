// Sums of a day, in parts of at most 5,000 entries in the order of their ids: ids carry the time of booking, so a day is a range
// of ids in one month.
import {
  type DayOrder,
  type DayPart,
  type LedgerAccount,
  MAX_EXPORT_ROWS,
  NATIVE_ASSET,
  NETWORK_PARTY,
} from '@svc-pay/core';
import { idBound } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';
import { ONE_BY_KEY } from '../database/planner.ts';
import { namedParameters } from '../database/statement-parameters.ts';
import { unnestBooking } from '../database/unnest-booking.ts';
import { beginExport } from './read-bookings.ts';

const GIVEN = namedParameters({
  account_id: 'text',
  mode: 'text',
  after_id: 'text',
  before_id: 'text',
  native: 'text',
  network_party: 'text',
});
const { at } = GIVEN;

const OWN = `account_id = ${at.account_id} and mode = ${at.mode}`;
const COLUMNS = 'id, payment_id, network, asset, account_name, party, amount, reverses';
/** Prefix of an id with its time. */
const TIMED_CHARACTERS = idBound('ledgerEntry', 0).length;

// The entries of a booking are of one millisecond, and those of two bookings may lie between each other. So bookings are read from
// the millisecond of the last entry that was summed, up to the last entry of those that fill a part.
// Only an entry of gas does not say which token was paid with.
export const DAY_PART = {
  name: 'sum-ledger-day',
  text: `
    with page as materialized (
      select id, cardinality(entry_ids) as entries, entry_ids[cardinality(entry_ids)] as last_id from svc.ledger_bookings
      where ${OWN} and id > ${at.after_id} and id < ${at.before_id} and amounts is not null
      order by account_id, mode, id limit ${MAX_EXPORT_ROWS}
    ),
    until as materialized (
      select greatest(max(last_id), ${at.after_id}) as id from (
        select last_id, sum(entries) over (order by id) - entries as entries_before from page
      ) counted where entries_before < ${MAX_EXPORT_ROWS}
    ),
    part as materialized (
      select ${COLUMNS} from (
        select * from (
          select ${COLUMNS} from svc.ledger_entry_rows
          where ${OWN} and id > ${at.after_id} and id < ${at.before_id}
          order by account_id, mode, id limit ${MAX_EXPORT_ROWS}
        ) older
        union all
        select entry.id, booking.payment_id, booking.network, entry.asset, entry.account_name, entry.party, entry.amount,
          entry.reverses
        from svc.ledger_bookings booking
        cross join lateral ${unnestBooking('booking', 'entry')}
        where booking.account_id = ${at.account_id} and booking.mode = ${at.mode} and booking.amounts is not null
          and booking.id >= left(${at.after_id}, ${TIMED_CHARACTERS}) and booking.id <= (select id from until)
          and entry.id > ${at.after_id} and entry.id < ${at.before_id}
      ) entry order by id limit ${MAX_EXPORT_ROWS}
    ),
    named as (
      select part.network, part.account_name, part.amount, part.reverses is not null as is_reversal,
        part.asset = ${at.native} as is_gas, coalesce(p.asset, part.asset) as asset
      from part
      left join lateral (
        select p.asset from svc.payments p
        where part.asset = ${at.native} and p.account_id = ${at.account_id} and p.mode = ${at.mode}
          and p.id = part.payment_id ${ONE_BY_KEY}
      ) p on true
      where part.asset <> ${at.native} or part.party = ${at.network_party}
    ),
    summed as (
      select network, asset, account_name, is_gas, is_reversal, sum(amount)::text as amount,
        coalesce(sum(amount) filter (where amount > 0), 0)::text as added_amount,
        count(*) filter (where amount > 0)::integer as added, count(*) filter (where amount < 0)::integer as taken
      from named group by network, asset, account_name, is_gas, is_reversal
    )
    select (select max(id) from part) as last_id, (select count(*) from part)::integer as count,
      coalesce((select jsonb_agg(to_jsonb(summed)) from summed), '[]') as sums`,
};

type SumRow = {
  readonly last_id: string | null;
  readonly count: number;
  readonly sums: readonly {
    readonly network: string;
    readonly asset: string;
    readonly account_name: LedgerAccount;
    readonly is_gas: boolean;
    readonly is_reversal: boolean;
    readonly amount: string;
    readonly added_amount: string;
    readonly added: number;
    readonly taken: number;
  }[];
};

export async function sumDay(pool: pg.Pool, order: DayOrder): Promise<DayPart> {
  return inTransaction(pool, async (client) => {
    const { alone } = await beginExport(client, order);
    if (!alone) return { ok: false, reason: 'busy' };
    const first = idBound('ledgerEntry', order.fromMs);
    const values = GIVEN.values({
      account_id: order.accountId,
      mode: order.mode,
      after_id: order.afterId > first ? order.afterId : first,
      before_id: idBound('ledgerEntry', order.toMs),
      native: NATIVE_ASSET,
      network_party: NETWORK_PARTY,
    });
    const { rows } = await client.query<SumRow>({ ...DAY_PART, values });
    const [row] = rows;
    if (row === undefined) throw new Error('a day was not summed');
    return {
      ok: true,
      lastId: row.last_id ?? undefined,
      hasMore: row.count === MAX_EXPORT_ROWS,
      sums: row.sums.map((sum) => ({
        network: sum.network,
        asset: sum.asset,
        accountName: sum.account_name,
        isGas: sum.is_gas,
        isReversal: sum.is_reversal,
        amountAtomic: BigInt(sum.amount),
        addedAtomic: BigInt(sum.added_amount),
        added: sum.added,
        taken: sum.taken,
      })),
    };
  });
}
