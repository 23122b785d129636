// A recorded batch that a reorganisation put into another block, with the same outcome for every payment. The payments stay
// completed; what changed is where the chain says so and what the network took, so their entries are booked anew there.
import {
  bookPayment,
  bookReturn,
  externalCostAtomic,
  isoTime,
  type MinedBatch,
  type MoveOptions,
  type RecordedBatch,
  reverseEntries,
  shareGas,
} from '@svc-pay/core';
import type pg from 'pg';
import { inTransaction } from '../stores/in-transaction.ts';
import type { SettledPart } from './end-payments.ts';
import { loadLiveEntries } from './live-entries.ts';
import { loadPaidRates } from './load-paid-rates.ts';
import { writeEntries } from './write-ends.ts';

/** False when it is not recorded in that block any more: somebody was faster. */
export async function moveBatch(
  pool: pg.Pool,
  batch: RecordedBatch,
  fromBlockHash: string,
  mined: MinedBatch,
  options: MoveOptions,
): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    const changed = await client.query({
      name: 'move-batch',
      text: `
        update svc.batches set transaction_id = $3, block_number = $4, block_hash = $5, updated_at = $6
        where id = $1 and status = 'mined' and block_hash = $2`,
      values: [
        batch.id,
        fromBlockHash,
        mined.transactionId,
        mined.blockNumber.toString(),
        mined.blockHash,
        isoTime(options.nowMs),
      ],
    });
    if (changed.rowCount !== 1) return false;
    await bookAnew(client, batch, mined, options);
    return true;
  });
}

async function bookAnew(
  client: pg.ClientBase,
  batch: RecordedBatch,
  mined: MinedBatch,
  { nowMs, gasCoin }: MoveOptions,
): Promise<void> {
  const parts = batch.items
    .map((item, index) => ({ item, mined: mined.items[index] }))
    .filter((part): part is SettledPart => part.mined?.outcome === 'settled');
  if (parts.length === 0) return;
  const items = parts.map(({ item }) => item);
  const old = await loadLiveEntries(client, items, batch.transactionId);
  const rates = gasCoin === undefined ? undefined : await loadPaidRates(client, batch.network, items);
  const shares = shareGas(mined.gasCostAtomic, parts.length);
  await writeEntries(
    client,
    parts.flatMap(({ item, mined: part }, index) => {
      const gasShareAtomic = shares[index] ?? 0n;
      const settled = { lane: batch, item, mined: part, batch: mined };
      const entries =
        item.recovery?.deed === 'return'
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
      items.map(({ paymentId }, index) =>
        externalCostAtomic(shares[index] ?? 0n, { gasCoin, token: rates?.get(paymentId) })?.toString(),
      ),
      mined.transactionId,
      isoTime(nowMs),
    ],
  });
}
