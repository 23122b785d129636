// Moves a recorded batch that a reorg put into another block with the same outcome for every payment. The payments stay
// completed. Log positions and gas cost may differ, so the old ledger entries are reversed and new ones are booked.
import {
  bookLosses,
  bookPayment,
  bookReturn,
  externalCostAtomic,
  isoTime,
  liveLosses,
  lostItems,
  type MinedBatch,
  type MoveOptions,
  type RecordedBatch,
  reverseEntries,
  reverseLosses,
  splitGas,
} from '@svc-pay/core';
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';
import { loadLosses, writeLosses } from '../ledger/gas-losses.ts';
import { loadLiveEntries } from '../ledger/live-entries.ts';
import { loadPaidRates } from '../payment/load-paid-rates.ts';
import type { SettledBatchItem } from '../payment/payment-results.ts';
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
        set transaction_id = $3, block_number = $4, block_hash = $5, gas_booked = true, updated_at = $6
        where id = $1 and status = 'mined' and block_hash = $2
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
    const gas = await moveGas(client, batch, mined, row.item_count, options.nowMs);
    await bookAnew(client, batch, mined, gas, options);
    return true;
  });
}

/** Reverses the gas losses of the old block and books those of the new one. Returns gas shares of settled payments. */
async function moveGas(
  client: pg.ClientBase,
  batch: RecordedBatch,
  mined: MinedBatch,
  itemCount: number,
  nowMs: number,
): Promise<ReadonlyMap<string, bigint>> {
  const losses = (await loadLosses(client, [batch.id])).get(batch.id) ?? [];
  const besides = lostItems(itemCount, mined, liveLosses(losses));
  const { settled, lost } = splitGas(mined, batch.items, besides);
  const source = { ...batch, batchId: batch.id, transactionId: mined.transactionId };
  await writeLosses(client, [...reverseLosses(losses, { nowMs }), ...bookLosses(source, lost, { nowMs })]);
  return settled;
}

async function bookAnew(
  client: pg.ClientBase,
  batch: RecordedBatch,
  mined: MinedBatch,
  gas: ReadonlyMap<string, bigint>,
  { nowMs, gasCoin }: MoveOptions,
): Promise<void> {
  const parts = batch.items
    .map((item, index) => ({ item, mined: mined.items[index] }))
    .filter((part): part is SettledBatchItem => part.mined?.outcome === 'settled');
  if (parts.length === 0) return;
  const items = parts.map(({ item }) => item);
  const old = await loadLiveEntries(client, items, batch.transactionId);
  const rates = gasCoin === undefined ? undefined : await loadPaidRates(client, batch.network, items);
  await writeEntries(
    client,
    parts.flatMap(({ item, mined: part }) => {
      const gasShareAtomic = gas.get(item.paymentId) ?? 0n;
      const settled = { lane: batch, item, mined: part, batch: mined };
      const entries =
        item.strandedTransfer?.action === 'return'
          ? bookReturn({ ...settled, gasCostAtomic: gasShareAtomic }, { nowMs })
          : bookPayment({ ...settled, gasShareAtomic }, { nowMs }).entries;
      return [...reverseEntries(old.get(item.paymentId) ?? [], { nowMs }), ...entries];
    }),
  );
  await client.query({
    name: 'move-payments',
    text: `
      update svc.payments payment
      set transaction_id = $6, transaction_split_id = $6 || ':' || item.log_index,
        external_cost_amount = item.cost, updated_at = $7
      from unnest($1::text[], $2::text[], $3::text[], $4::integer[], $5::numeric[])
        as item (account_id, mode, payment_id, log_index, cost)
      where payment.account_id = item.account_id and payment.mode = item.mode and payment.id = item.payment_id
        and payment.status = 'completed'`,
    values: [
      items.map(({ accountId }) => accountId),
      items.map(({ mode }) => mode),
      items.map(({ paymentId }) => paymentId),
      parts.map(({ mined: part }) => part.logIndex),
      items.map(({ paymentId }) =>
        externalCostAtomic(gas.get(paymentId) ?? 0n, { gasCoin, token: rates?.get(paymentId) })?.toString(),
      ),
      mined.transactionId,
      isoTime(nowMs),
    ],
  });
}
