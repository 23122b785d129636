// Stores a signed transaction with its nonce and its items before it is broadcast. After this commit every process that
// has the lease sends these same bytes, also after a crash.
import {
  BATCH_STATUS,
  BATCH_TRANSITIONS,
  type BatchToStore,
  isoTime,
  type LaneLease,
  REFUND_STATUS,
  SETTLEMENT_STATUS,
  SETTLEMENT_TRANSITIONS,
  STRANDED_STATUS,
  STRANDED_TRANSITIONS,
} from '@svc-pay/core';
import type pg from 'pg';
import { insertText, sameNames } from '../database/insert-text.ts';
import { expectedColumn } from '../database/planner.ts';
import { isUnmetRequirement, requireText } from '../database/require.ts';
import { columnArrays, namedParameters } from '../database/statement-parameters.ts';
import { sqlIs, sqlStatus, sqlStep } from '../database/status-sql.ts';
import type { SettlementKey } from '../settlement/move-settlements.ts';
import { TAKEN_REFUND } from './refund-items.ts';

const HELD = namedParameters({
  network: 'text',
  relayer: 'text',
  epoch: 'bigint',
  now: 'timestamptz',
  first_nonce: 'bigint',
  bound_sends: 'bigint',
});
const { network, relayer, epoch, now, first_nonce, bound_sends } = HELD.at;

const ASKED = columnArrays<BatchToStore>(
  {
    id: ['text', ({ id }) => id],
    transaction_id: ['text', ({ signed }) => signed.transactionId],
    raw: ['bytea', ({ signed }) => Buffer.from(signed.raw)],
    item_count: ['integer', ({ items }) => items.length],
    at_risk: ['numeric', ({ atRiskAtomic }) => atRiskAtomic?.toString() ?? null],
  },
  HELD.next,
);

const ITEMS = columnArrays<SettlementKey & { readonly refundId: string | undefined; readonly batchId: string }>(
  {
    account_id: ['text', ({ accountId }) => accountId],
    mode: ['text', ({ mode }) => mode],
    payment_id: ['text', ({ paymentId }) => paymentId],
    refund_id: ['text', ({ refundId }) => refundId ?? null],
    asked_id: ['text', ({ batchId }) => batchId],
  },
  ASKED.next,
);

const SIGNED_AGAIN = sqlStep(BATCH_TRANSITIONS, BATCH_STATUS.replaced, BATCH_STATUS.signed);
const TAKEN_PAYMENT = sqlStep(SETTLEMENT_TRANSITIONS, SETTLEMENT_STATUS.queued, SETTLEMENT_STATUS.batched);
const TAKEN_TRANSFER = sqlStep(STRANDED_TRANSITIONS, STRANDED_STATUS.queued, STRANDED_STATUS.batched);

// The update of the lane's row is the gate: it hands out each nonce once, and only to the process with the current
// epoch. Payments that gas budgets bind pass it only if no lane has sent another one since the budgets were read; where the
// gate refuses, `counted` may stay written, and other lanes read the budgets once more. If any
// item is no longer queued, the statement fails as a whole. On Solana the same payment always signs to
// the same bytes, which may belong to a batch that was recorded as `replaced` because no node knew it: that batch
// becomes `signed` again, under the new nonce.
const storeText = (expected: string, taking: string) => `
    with asked as materialized (
      select id, transaction_id, raw, item_count, at_risk, ${first_nonce} + place - 1 as nonce
      from ${ASKED.unnestWithPlace('asked')}
    ),
    given as materialized (
      select given.*, ${expectedColumn(sqlStatus(expected), 'expected')} from ${ITEMS.unnest('given')}
    ),
    counted as (
      update svc.gas_budgets set bound_sends = bound_sends + 1
      where network = ${network} and bound_sends = ${bound_sends}
      returning 1
    ),
    gate as (
      update svc.relayers set next_nonce = next_nonce + (select count(*) from asked), updated_at = ${now}
      where network = ${network} and address = ${relayer} and epoch = ${epoch} and next_nonce = ${first_nonce}
        and (${bound_sends} is null or exists (select from counted))
      returning mode
    ),
    known as materialized (
      select asked.id, asked.nonce, stored.batch_id from asked
      join svc.batch_transactions stored
        on stored.network = ${network} and stored.transaction_id = asked.transaction_id
    ),
    again as (
      update svc.batches b set status = ${SIGNED_AGAIN.to}, nonce = known.nonce, epoch = ${epoch}, updated_at = ${now}
      from gate, known
      where b.id = known.batch_id and b.status ${SIGNED_AGAIN.from}
      returning b.id, known.id as asked_id
    ),
    fresh as (
      ${insertText(
        'svc.batches',
        {
          ...sameNames('id', 'mode', 'nonce', 'item_count', 'transaction_id', 'at_risk'),
          network,
          relayer,
          epoch,
          status: sqlStatus(BATCH_STATUS.signed),
          created_at: now,
          updated_at: now,
        },
        'from gate, asked where id not in (select id from known)',
      )}
      returning id
    ),
    batch as (select id, asked_id from again union all select id, id from fresh),
    transaction as (
      ${insertText(
        'svc.batch_transactions',
        {
          network,
          transaction_id: 'asked.transaction_id',
          batch_id: 'asked.id',
          mode: 'mode',
          raw_transaction: 'asked.raw',
          created_at: now,
        },
        'from gate, fresh join asked using (id)',
      )}
    ),
    item as materialized (select given.*, batch.id as batch_id from given join batch using (asked_id)),
    ${taking}
    select count(*)::integer as taken,
      ${requireText(
        'count(*) = (select count(*) from gate) * (select count(*) from given)',
        'a payment of the batch is no longer queued',
      )} as whole
    from taken`;

const TAKE_SETTLEMENTS = `
    taken as (
      update svc.settlements s
      set status = ${TAKEN_PAYMENT.to}, relayer = ${relayer}, batch_id = item.batch_id, updated_at = ${now}
      from item
      where s.account_id = item.account_id and s.mode = item.mode and s.payment_id = item.payment_id
        and s.status = item.expected
      returning 1
    )`;

// The settlement stays `held`, but already carries the batch id, so that completing it is one step.
const TAKE_STRANDED = `
    taken as (
      update svc.stranded_transfers r
      set status = ${TAKEN_TRANSFER.to}, relayer = ${relayer}, batch_id = item.batch_id, updated_at = ${now}
      from item
      where r.account_id = item.account_id and r.mode = item.mode and r.payment_id = item.payment_id
        and r.status = item.expected
      returning 1
    ),
    bound as (
      update svc.settlements s set relayer = ${relayer}, batch_id = item.batch_id, updated_at = ${now}
      from item
      where s.account_id = item.account_id and s.mode = item.mode and s.payment_id = item.payment_id
        and s.status ${sqlIs(SETTLEMENT_STATUS.held)}
    )`;

const TAKE_REFUND = `
    taken as (
      update svc.refunds r
      set status = ${TAKEN_REFUND.to}, relayer = ${relayer}, batch_id = item.batch_id, refusal = null, updated_at = ${now}
      from item
      where r.account_id = item.account_id and r.mode = item.mode and r.id = item.refund_id and r.status = item.expected
      returning 1
    )`;

const STORE = {
  refund: { name: 'lane-store-refunds', text: storeText(REFUND_STATUS.queued, TAKE_REFUND) },
  settle: { name: 'lane-store-batches', text: storeText(SETTLEMENT_STATUS.queued, TAKE_SETTLEMENTS) },
  resolve_stranded: { name: 'lane-store-stranded', text: storeText(STRANDED_STATUS.queued, TAKE_STRANDED) },
};

export async function storeBatches(
  pool: pg.Pool,
  lease: LaneLease,
  batches: readonly BatchToStore[],
  nowMs: number,
  { duty = 'settle', boundSends }: { duty?: keyof typeof STORE; boundSends?: bigint | undefined } = {},
): Promise<boolean> {
  const [first] = batches;
  if (first === undefined) return true;
  if (batches.some(({ nonce }, index) => nonce !== first.nonce + BigInt(index))) {
    throw new Error(
      `relayer ${lease.relayer} on ${lease.network}: nonces from ${first.nonce} on do not follow each other`,
    );
  }
  const items = batches.flatMap(({ id, items: own }) =>
    own.map(({ accountId, mode, paymentId, refund }) => ({
      accountId,
      mode,
      paymentId,
      refundId: refund?.id,
      batchId: id,
    })),
  );
  const lane = HELD.values({
    network: lease.network,
    relayer: lease.relayer,
    epoch: lease.epoch.toString(),
    now: isoTime(nowMs),
    first_nonce: first.nonce.toString(),
    bound_sends: boundSends?.toString() ?? null,
  });
  const values = [...lane, ...ASKED.values(batches), ...ITEMS.values(items)];
  try {
    const { rows } = await pool.query<{ taken: number }>({ ...STORE[duty], values });
    return rows[0]?.taken === items.length;
  } catch (problem) {
    if (isUnmetRequirement(problem)) return false;
    throw problem;
  }
}
