// What `svc abuse top` shows: the counts of all API processes, and the gas that settled nothing.
import { type AbuseCause, isoTime, type Mode, type SubjectKind } from '@svc-pay/core';
import type pg from 'pg';

export type AbuseTotal = {
  readonly cause: AbuseCause;
  readonly kind: SubjectKind;
  readonly subject: string;
  readonly count: number;
  /** Of created intents: how many payments came from the same subject. */
  readonly paid: number;
};

/** Gas that settled nothing, by whom it was spent for. The account is null where the payment is not known. */
export type GasLossTotal = {
  readonly network: string;
  readonly mode: Mode;
  readonly accountId: string | null;
  readonly payer: string | null;
  readonly lossAtomic: bigint;
  readonly losses: number;
};

type CountRow = {
  readonly cause: AbuseCause;
  readonly subject_kind: SubjectKind;
  readonly subject: string;
  readonly count: string;
  readonly paid: string;
};

/** The heaviest `most` of each cause and kind of subject, created intents by those that were not paid. */
export async function readAbuse(pool: pg.Pool, sinceMs: number, most: number): Promise<readonly AbuseTotal[]> {
  const { rows } = await pool.query<CountRow>(
    `select cause, subject_kind, subject, count, paid from (
       select cause, subject_kind, subject, sum(occurrences) as count, least(sum(paid), sum(occurrences)) as paid,
         row_number() over (
           partition by cause, subject_kind order by sum(occurrences) - sum(paid) desc, subject
         ) as rank
       from svc.abuse_counts where hour >= date_trunc('hour', $1::timestamptz)
       group by cause, subject_kind, subject
     ) ranked
     where rank <= $2 and count > paid
     order by array_position(array['refused', 'created', 'streams'], cause::text),
       array_position(array['address', 'key', 'account', 'payer'], subject_kind::text), rank`,
    [isoTime(sinceMs), most],
  );
  return rows.map(({ cause, subject_kind: kind, subject, count, paid }) => ({
    cause,
    kind,
    subject,
    count: Number.parseInt(count, 10),
    paid: Number.parseInt(paid, 10),
  }));
}

type LossRow = {
  readonly network: string;
  readonly mode: Mode;
  readonly account_id: string | null;
  readonly payer: string | null;
  readonly loss: string;
  readonly losses: number;
};

/** The largest `most` of each network. What a reorg reversed is left out, and gas of refunds that moved their money. */
export async function readGasLosses(pool: pg.Pool, sinceMs: number, most: number): Promise<readonly GasLossTotal[]> {
  const { rows } = await pool.query<LossRow>(
    `select network, mode, account_id, payer, loss, losses from (
       select network, mode, account_id, payer, sum(amount)::text as loss,
         count(*) filter (where reverses is null)::integer as losses,
         row_number() over (partition by network order by sum(amount) desc) as rank
       from svc.gas_losses where id >= svc.id_bound('lg', $1) and cause <> 'refund'
       group by network, mode, account_id, payer
       having sum(amount) > 0
     ) ranked
     where rank <= $2 order by network, rank`,
    [isoTime(sinceMs), most],
  );
  return rows.map(({ network, mode, account_id: accountId, payer, loss, losses }) => ({
    network,
    mode,
    accountId,
    payer,
    lossAtomic: BigInt(loss),
    losses,
  }));
}
