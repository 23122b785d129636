// What payments cost and earn the platform over a period, by account and network, from the books.
import { isoTime, type Mode, NATIVE_ASSET, NETWORK_PARTY } from '@svc-pay/core';
import type pg from 'pg';
import { unnestBooking } from '../database/unnest-booking.ts';

type Period = { readonly fromMs: number; readonly toMs: number };

export type AccountCost = {
  /** Null for gas of payments that are not known, as after a restore. */
  readonly accountId: string | null;
  readonly mode: Mode;
  readonly network: string;
  /** Settled payments. */
  readonly payments: number;
  /** Gas of settled payments and of transactions that settled nothing, in the chain's own coin. */
  readonly gasPaidAtomic: bigint;
  /** The part of it that settled nothing. */
  readonly gasLostAtomic: bigint;
  /** Fees of the platform by token. Reversals are taken off. */
  readonly fees: readonly { readonly asset: string; readonly atomic: bigint }[];
};

type CostRow = {
  readonly account_id: string | null;
  readonly mode: Mode;
  readonly network: string;
  readonly payments: number;
  readonly gas: string;
  readonly lost: string;
  readonly fees: Readonly<Record<string, string>> | null;
};

const BOUNDS = `id >= svc.id_bound('lg', $1) and id < svc.id_bound('lg', $2) and ($3::text is null or account_id = $3)`;
const READ = {
  name: 'read-costs',
  text: `
    with entry as (
      select account_id, mode, network, asset,
        sum(case when reverses is null then 1 else -1 end) filter (where asset = $4)::integer as payments,
        coalesce(sum(amount) filter (where asset = $4), 0) as gas,
        coalesce(sum(amount) filter (where asset <> $4), 0) as fee
      from (
        select account_id, mode, network, asset, account_name, party, amount, reverses from svc.ledger_entry_rows where ${BOUNDS}
        union all
        select booking.account_id, booking.mode, booking.network, entry.asset, entry.account_name, entry.party, entry.amount,
          entry.reverses
        from (select * from svc.ledger_bookings where ${BOUNDS} and amounts is not null) booking
        cross join lateral ${unnestBooking('booking', 'entry')}
      ) booked
      where (account_name = 'platform_fee' or (asset = $4 and party = $5))
      group by account_id, mode, network, asset
    ),
    booked as (
      select account_id, mode, network, coalesce(sum(payments), 0) as payments, sum(gas) as gas, 0 as lost,
        jsonb_object_agg(asset, fee::text) filter (where asset <> $4 and fee <> 0) as fees
      from entry group by account_id, mode, network
      union all
      select account_id, mode, network, 0, 0, sum(amount), null from svc.gas_losses where ${BOUNDS}
      group by account_id, mode, network
    )
    select account_id, mode, network, sum(payments)::integer as payments, sum(gas)::text as gas, sum(lost)::text as lost,
      (array_agg(fees) filter (where fees is not null))[1] as fees
    from booked group by account_id, mode, network order by account_id nulls last, mode, network`,
};

export async function readCosts(
  pool: pg.Pool,
  { fromMs, toMs }: Period,
  accountId: string | null,
): Promise<readonly AccountCost[]> {
  const values = [isoTime(fromMs), isoTime(toMs), accountId, NATIVE_ASSET, NETWORK_PARTY];
  const { rows } = await pool.query<CostRow>({ ...READ, values });
  return rows.map(({ account_id, mode, network, payments, gas, lost, fees }) => ({
    accountId: account_id,
    mode,
    network,
    payments,
    gasPaidAtomic: BigInt(gas) + BigInt(lost),
    gasLostAtomic: BigInt(lost),
    fees: Object.entries(fees ?? {}).map(([asset, atomic]) => ({ asset, atomic: BigInt(atomic) })),
  }));
}
