// Moves a recorded batch that a reorg put into another block with the same outcome for every payment. The payments stay
// completed. Log positions and gas cost may differ, so the old ledger entries are reversed and new ones are booked.
import {
  BATCH_STATUS,
  decideMove,
  isoTime,
  type MinedBatch,
  type MovedPayment,
  type MoveFacts,
  type MoveOptions,
  PAYMENT_STATUS,
  type RecordedBatch,
  settledItems,
} from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';
import { columnArrays } from '../database/statement-parameters.ts';
import { sqlIs } from '../database/status-sql.ts';
import { loadLosses, writeLosses } from '../ledger/gas-losses.ts';
import { loadLiveEntries } from '../ledger/live-entries.ts';
import { loadPaidRates } from '../payment/load-paid-rates.ts';
import { writeProofs } from '../payment/log-proofs.ts';
import { writeEntries } from '../payment/write-payment-results.ts';

/** False if the batch is no longer recorded in that block: another process has already changed it. */
export async function moveBatch(
  pool: pg.Pool,
  batch: RecordedBatch,
  fromBlockHash: string,
  mined: MinedBatch,
  options: MoveOptions,
): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ item_count: number }>({
      name: 'move-batch',
      text: `
        update svc.batches
        set transaction_id = $3, linked_transaction_id = $3, block_number = $4, block_hash = $5, gas_booked = true, updated_at = $6,
          logs_read = 0
        where id = $1 and status ${sqlIs(BATCH_STATUS.mined)} and block_hash = $2
        returning item_count`,
      values: [
        batch.id,
        fromBlockHash,
        mined.transactionId,
        mined.blockNumber.toString(),
        mined.blockHash,
        isoTime(options.nowMs),
      ],
    });
    const [row] = rows;
    if (row === undefined) return false;
    const facts = await loadFacts(client, batch, mined, row.item_count, options);
    const { losses, entries, payments } = decideMove(batch, mined, facts, options);
    await writeLosses(client, losses);
    await writeEntries(client, entries);
    await movePayments(client, batch.network, payments, options.nowMs);
    return true;
  });
}

async function loadFacts(
  client: pg.ClientBase,
  batch: RecordedBatch,
  mined: MinedBatch,
  itemCount: number,
  { gasCoin }: MoveOptions,
): Promise<MoveFacts> {
  const losses = (await loadLosses(client, [batch.id])).get(batch.id) ?? [];
  const items = settledItems(batch.items, mined).map(({ item }) => item);
  if (items.length === 0) return { itemCount, losses, entries: new Map(), rates: undefined };
  return {
    itemCount,
    losses,
    entries: await loadLiveEntries(client, items, batch.transactionId),
    rates: gasCoin && (await loadPaidRates(client, batch.network, items)),
  };
}

const MOVED = columnArrays<MovedPayment>({
  account_id: ['text', ({ item }) => item.accountId],
  mode: ['text', ({ item }) => item.mode],
  payment_id: ['text', ({ item }) => item.paymentId],
  transaction_id: ['text', ({ transactionId }) => transactionId],
  transaction_split_id: ['text', ({ transactionSplitId }) => transactionSplitId],
  external_cost_amount: ['numeric', ({ externalCostAtomic }) => externalCostAtomic.toString()],
});
const MOVE_PAYMENTS = {
  name: 'move-payments',
  text: `
    update svc.payments payment
    set transaction_id = relocated.transaction_id, transaction_split_id = relocated.transaction_split_id,
      external_cost_amount = relocated.external_cost_amount, updated_at = $${MOVED.next}
    from ${MOVED.unnest('relocated')}
    where payment.account_id = relocated.account_id and payment.mode = relocated.mode and payment.id = relocated.payment_id
      and payment.status ${sqlIs(PAYMENT_STATUS.completed)}`,
};

// The proofs of all payments are deleted before any is written: two payments may swap their log positions.
const DELETE_PROOFS = {
  name: 'delete-moved-proofs',
  text: `
    delete from svc.log_proofs proof using ${MOVED.unnest('relocated')}
    join svc.payments payment
      on payment.account_id = relocated.account_id and payment.mode = relocated.mode and payment.id = relocated.payment_id
        and payment.status ${sqlIs(PAYMENT_STATUS.completed)}
    where proof.network = payment.network
      and proof.transaction_id = split_part(payment.transaction_split_id, ':', 1)
      and proof.log_index = split_part(payment.transaction_split_id, ':', 2)::integer
      and proof.payment_id = payment.id`,
};

async function movePayments(
  client: pg.ClientBase,
  network: NetworkId,
  moved: readonly MovedPayment[],
  nowMs: number,
): Promise<void> {
  if (moved.length === 0) return;
  const values = MOVED.values(moved);
  await client.query({ ...DELETE_PROOFS, values });
  await client.query({ ...MOVE_PAYMENTS, values: [...values, isoTime(nowMs)] });
  await writeProofs(
    client,
    moved.map(({ item: { accountId, mode, paymentId }, transactionId, logIndex }) => ({
      network,
      transactionId,
      logIndex,
      accountId,
      mode,
      paymentId,
      read: false,
      nowMs,
    })),
  );
}
