// A signed transaction is stored with its nonce and its items before anybody sees it. From this commit on the same bytes
// are what is sent, also by whoever comes after a crash.
import { type BatchToStore, type HeldLane, isoTime } from '@svc-pay/core';
import type pg from 'pg';
import { settlementKeys } from './move-settlements.ts';

// The lane's row is the gate: it gives out each nonce once, and only to its holder. The items must all still be queued,
// or the whole statement is undone by the division. Where the same payment always makes the same bytes, they may belong to
// a batch that was given up because no node knew of it: that batch is taken up again, under the new nonce.
const storeText = (taking: string) => `
    with asked as materialized (
      select id, transaction_id, raw, item_count, $5::bigint + place - 1 as nonce
      from unnest($6::text[], $7::text[], $8::bytea[], $9::integer[])
        with ordinality as asked (id, transaction_id, raw, item_count, place)
    ),
    gate as (
      update svc.relayers set next_nonce = next_nonce + cardinality($6::text[]), updated_at = $4
      where network = $1 and address = $2 and epoch = $3 and next_nonce = $5::bigint
      returning mode
    ),
    known as materialized (
      select asked.id, asked.nonce, stored.batch_id from asked
      join svc.batch_transactions stored on stored.network = $1 and stored.transaction_id = asked.transaction_id
    ),
    again as (
      update svc.batches b set status = 'signed', nonce = known.nonce, epoch = $3, updated_at = $4
      from gate, known
      where b.id = known.batch_id and b.status = 'replaced'
      returning b.id, known.id as asked_id
    ),
    fresh as (
      insert into svc.batches (
        id, network, relayer, mode, nonce, epoch, status, item_count, transaction_id, created_at, updated_at
      )
      select id, $1, $2, mode, nonce, $3, 'signed', item_count, transaction_id, $4, $4 from gate, asked
      where id not in (select id from known)
      returning id
    ),
    batch as (select id, asked_id from again union all select id, id from fresh),
    transaction as (
      insert into svc.batch_transactions (network, transaction_id, batch_id, mode, raw_transaction, created_at)
      select $1, asked.transaction_id, asked.id, mode, asked.raw, $4 from gate, fresh join asked using (id)
    ),
    item as materialized (
      -- What it must be until now is a column, so that it is looked up by its key and not among all that wait.
      select item.*, batch.id as batch_id, 'queued' as expected
      from unnest($10::text[], $11::text[], $12::text[], $13::text[]) as item (account_id, mode, payment_id, asked_id)
      join batch using (asked_id)
    ),
    ${taking}
    select count(*)::integer as taken,
      1 / (case when count(*) = (select count(*) from gate) * cardinality($12::text[]) then 1 else 0 end) as whole
    from taken`;

const TAKE_SETTLEMENTS = `
    taken as (
      update svc.settlements s set status = 'batched', relayer = $2, batch_id = item.batch_id, updated_at = $4
      from item
      where s.account_id = item.account_id and s.mode = item.mode and s.payment_id = item.payment_id
        and s.status = item.expected
      returning 1
    )`;

// What it completes stays held, and is bound to the batch already: completing is one step then.
const TAKE_RECOVERIES = `
    taken as (
      update svc.recoveries r set status = 'batched', relayer = $2, batch_id = item.batch_id, updated_at = $4
      from item
      where r.account_id = item.account_id and r.mode = item.mode and r.payment_id = item.payment_id
        and r.status = item.expected
      returning 1
    ),
    bound as (
      update svc.settlements s set relayer = $2, batch_id = item.batch_id, updated_at = $4
      from item
      where s.account_id = item.account_id and s.mode = item.mode and s.payment_id = item.payment_id
        and s.status = 'held'
    )`;

const STORE = {
  settle: { name: 'lane-store-batches', text: storeText(TAKE_SETTLEMENTS) },
  recover: { name: 'lane-store-recoveries', text: storeText(TAKE_RECOVERIES) },
};

const DIVISION_BY_ZERO = '22012';

export async function storeBatches(
  pool: pg.Pool,
  held: HeldLane,
  batches: readonly BatchToStore[],
  nowMs: number,
  duty: keyof typeof STORE = 'settle',
): Promise<boolean> {
  const [first] = batches;
  if (first === undefined) return true;
  if (batches.some(({ nonce }, index) => nonce !== first.nonce + BigInt(index))) {
    throw new Error(`nonces from ${first.nonce} on do not follow each other`);
  }
  const items = batches.flatMap((batch) => batch.items);
  const values = [
    held.network,
    held.relayer,
    held.epoch.toString(),
    isoTime(nowMs),
    first.nonce.toString(),
    batches.map(({ id }) => id),
    batches.map(({ signed }) => signed.transactionId),
    batches.map(({ signed }) => Buffer.from(signed.raw)),
    batches.map((batch) => batch.items.length),
    ...settlementKeys(items),
    batches.flatMap((batch) => batch.items.map(() => batch.id)),
  ];
  try {
    const { rows } = await pool.query<{ taken: number }>({ ...STORE[duty], values });
    return rows[0]?.taken === items.length;
  } catch (problem) {
    const { code } = problem as { code?: unknown };
    if (code === DIVISION_BY_ZERO) return false;
    throw problem;
  }
}

const MARK = {
  name: 'lane-mark-broadcast',
  text: `
    update svc.batches set status = 'broadcast', updated_at = $4
    where id = any ($5) and status in ('signed', 'broadcast')
      and exists (select from svc.relayers where network = $1 and address = $2 and epoch = $3)`,
};

export async function markBroadcast(
  pool: pg.Pool,
  { network, relayer, epoch }: HeldLane,
  batchIds: readonly string[],
  nowMs: number,
): Promise<void> {
  await pool.query({ ...MARK, values: [network, relayer, epoch.toString(), isoTime(nowMs), batchIds] });
}
