// Records attempts to send, and batches that a block has and that wait for confirmations. What the payments of a batch name is
// written on the batch too, in the same transaction: a process that stops before it leaves the batch as it was, and the next
// one sends the same bytes again and records that.
import {
  BATCH_STATUS,
  type FoundBatch,
  isoTime,
  isRefundBatch,
  type LaneLease,
  type LinkedItem,
  PENDING_BATCH,
  type SendAttempt,
  seenLinks,
} from '@svc-pay/core';
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';
import { columnArrays, namedParameters } from '../database/statement-parameters.ts';
import { sqlIs, sqlStatus } from '../database/status-sql.ts';
import { linkPayments } from '../payment/link-payments.ts';
import { requireLease, withFence } from './lane-fence.ts';
import { linkRefunds, type RefundLink } from './refund-items.ts';

const HELD = namedParameters({ network: 'text', relayer: 'text', epoch: 'bigint', now: 'timestamptz' });
const { network, relayer, epoch, now } = HELD.at;

const TRIED = columnArrays<SendAttempt>(
  {
    id: ['text', ({ batch }) => batch.id],
    taken: ['boolean', ({ taken }) => taken],
    link: ['text', ({ link }) => link ?? null],
  },
  HELD.next,
);

// The lock on the lane's row prevents a take-over until the commit. A batch is found by its transaction: one that was signed
// again has its old id, which the process that signed it does not know.
const MARK = {
  name: 'lane-record-attempts',
  text: `
    update svc.batches b
    set status = case when tried.taken then ${sqlStatus(BATCH_STATUS.broadcast)} else b.status end,
      updated_at = case when tried.taken then ${now} else b.updated_at end,
      linked_transaction_id = coalesce(tried.link, b.linked_transaction_id),
      seen_block_hash = case when tried.link is null then b.seen_block_hash end
    from ${TRIED.unnest('tried')}
    where b.id = coalesce(
        (select batch_id from svc.batch_transactions where network = ${network} and transaction_id = tried.link),
        tried.id
      )
      and b.status ${sqlIs(...PENDING_BATCH)} and exists (
        select from svc.relayers where network = ${network} and address = ${relayer} and epoch = ${epoch}
        for no key update
      )
    returning b.id, tried.id as tried`,
};

export async function recordAttempts(
  pool: pg.Pool,
  lease: LaneLease,
  attempts: readonly SendAttempt[],
  nowMs: number,
): Promise<void> {
  if (attempts.length === 0) return;
  const values = [
    ...HELD.values({
      network: lease.network,
      relayer: lease.relayer,
      epoch: lease.epoch.toString(),
      now: isoTime(nowMs),
    }),
    ...TRIED.values(attempts),
  ];
  if (attempts.every(({ link }) => link === undefined)) {
    await pool.query({ ...MARK, values });
    return;
  }
  await inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ id: string; tried: string }>({ ...MARK, values });
    const marked = new Map(rows.map(({ id, tried }) => [tried, id]));
    const links = attempts.flatMap(({ batch, link }): LinkedItem[] => {
      const id = marked.get(batch.id);
      if (id === undefined || link === undefined || isRefundBatch(batch)) return [];
      return batch.items.map((item) => linkTo(item, link, id));
    });
    await linkPayments(client, links, nowMs);
    const refunds = attempts.flatMap(({ batch, link }): RefundLink[] => {
      if (!marked.has(batch.id) || link === undefined) return [];
      return batch.items.map((item) => ({ item, transactionId: link }));
    });
    await linkRefunds(client, refunds, nowMs);
  });
}

const linkTo = (item: LinkedItem['item'], transactionId: string, requestId: string): LinkedItem => ({
  item,
  link: { transactionId, transactionSplitId: null },
  requestId,
});

const SEEN = {
  name: 'lane-record-seen',
  text: `
    update svc.batches b set linked_transaction_id = seen.transaction_id, seen_block_hash = seen.block_hash
    from unnest($1::text[], $2::text[], $3::text[]) as seen (id, transaction_id, block_hash)
    where b.id = seen.id and b.status ${sqlIs(...PENDING_BATCH)}
    returning b.id`,
};

export async function recordSeen(
  pool: pg.Pool,
  lease: LaneLease,
  found: readonly FoundBatch[],
  nowMs: number,
): Promise<boolean> {
  return withFence(pool, async (client) => {
    await requireLease(client, lease);
    const { rows } = await client.query<{ id: string }>({
      ...SEEN,
      values: [
        found.map(({ batch }) => batch.id),
        found.map(({ mined }) => mined.transactionId),
        found.map(({ mined }) => mined.blockHash),
      ],
    });
    const marked = new Set(rows.map(({ id }) => id));
    const seen = found.filter(({ batch }) => marked.has(batch.id));
    await linkPayments(client, seenLinks(seen), nowMs);
    const refunds = seen.flatMap(({ batch, mined: { transactionId } }) =>
      batch.items.map((item) => ({ item, transactionId })),
    );
    await linkRefunds(client, refunds, nowMs);
  });
}
