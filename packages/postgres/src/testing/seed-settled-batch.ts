// Seeds a mined batch with its completed payments and their ledger entries, in the same rows as a lane writes.
import { randomBytes } from 'node:crypto';
import { bookPayment, isoTime, type Lane, type LaneItem, type SettledItem, shareGas } from '@svc-pay/core';
import { newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { insertRow, insertRows, NOW } from './sample-rows.ts';

export type SettledBatch = {
  readonly lane: Lane;
  readonly nonce: bigint;
  readonly transactionId: string;
  readonly blockNumber: bigint;
  readonly feeRecipient: string;
  readonly gasCostAtomic: bigint;
  readonly payments: readonly { readonly item: LaneItem; readonly mined: SettledItem }[];
};

/** Creates the account, its mode, the relayer and the payouts if they are missing. */
export async function seedSettledBatch(pool: pg.Pool, batch: SettledBatch): Promise<string> {
  const { lane, nonce, transactionId, payments } = batch;
  const batchId = newId('batch', NOW.getTime());
  for (const { item } of payments) await seedSetting(pool, lane, item);
  const { mode } = payments[0]?.item ?? { mode: 'test' };
  await insertRow(pool, 'batches', {
    id: batchId,
    network: lane.network,
    relayer: lane.relayer,
    mode,
    nonce: nonce.toString(),
    status: 'mined',
    item_count: payments.length,
    transaction_id: transactionId,
    block_number: batch.blockNumber.toString(),
    gas_booked: true,
    block_hash: `0x${'b1'.repeat(32)}`,
  });
  const shares = shareGas(
    batch.gasCostAtomic,
    payments.map(({ mined }) => mined.outcome),
  );
  for (const [index, payment] of payments.entries()) {
    await seedCompleted(pool, batch, batchId, payment, shares[index] ?? 0n);
  }
  return batchId;
}

async function seedSetting(
  pool: pg.Pool,
  lane: Lane,
  { accountId, mode, processor, payout, asset }: LaneItem,
): Promise<void> {
  await pool.query(
    `insert into svc.accounts (id, name, status, api_version, created_at)
     values ($1, 'A shop', 'active', '2026-11-15', now()) on conflict do nothing`,
    [accountId],
  );
  await pool.query('insert into svc.account_modes (account_id, mode) values ($1, $2) on conflict do nothing', [
    accountId,
    mode,
  ]);
  await pool.query(
    `insert into svc.relayers (network, address, mode, next_nonce, status, updated_at)
     values ($1, $2, $3, 0, 'active', now()) on conflict do nothing`,
    [lane.network, lane.relayer, mode],
  );
  await pool.query(
    `insert into svc.payouts (account_id, mode, network, payout_id, processor, merchant, fee_bps, splits, status, created_at,
       kind, asset, activation, active_from)
     values ($1, $2, $3, $4, lower($5), $6, $7, $8, 'active', now(), $9::text, $10, $11,
       case when $9::text = 'direct' then now() end) on conflict do nothing`,
    [
      accountId,
      mode,
      lane.network,
      payout.id.toString(),
      processor,
      payout.merchant,
      payout.feeBps,
      JSON.stringify(payout.splits),
      payout.direct === undefined ? 'processor' : 'direct',
      payout.direct === undefined ? null : asset.toLowerCase(),
      payout.direct === undefined ? null : '{}',
    ],
  );
}

async function seedCompleted(
  pool: pg.Pool,
  batch: SettledBatch,
  batchId: string,
  { item, mined }: SettledBatch['payments'][number],
  gasShareAtomic: bigint,
): Promise<void> {
  const { lane, transactionId } = batch;
  const booking = { nowMs: NOW.getTime() };
  const { breakdown, entries } = bookPayment({ lane, item, mined, batch, gasShareAtomic }, booking);
  const tenant = { account_id: item.accountId, mode: item.mode };
  const money = { network: lane.network, asset: item.asset };
  const claimKey = randomBytes(32);
  const intent = { ...tenant, intent_id: item.intentId };
  const nonce = Buffer.from(item.nonce.slice(2), 'hex');
  const claimed = { ...intent, ...money, claim_key: claimKey, payer: item.payer, nonce };
  await insertRow(pool, 'intent_codes', { ...intent, intent_code: item.intentCode.toString() });
  await insertRow(pool, 'claims', { ...claimed, payment_id: item.paymentId });
  const direct = item.payout.direct !== undefined;
  await insertRow(pool, 'authorizations', {
    ...claimed,
    recipient: item.processor,
    cap: item.capAtomic.toString(),
    direct,
    unused_at_block: direct ? (batch.blockNumber - 1n).toString() : null,
  });
  await insertRow(pool, 'intents', {
    ...tenant,
    id: item.intentId,
    intent_code: item.intentCode.toString(),
    status: 'completed',
    payment_id: item.paymentId,
    network: lane.network,
    ledger_id: item.asset,
  });
  await insertRow(pool, 'settlements', {
    ...intent,
    ...money,
    payment_id: item.paymentId,
    intent_code: item.intentCode.toString(),
    claim_key: claimKey,
    status: 'completed',
    cap: item.capAtomic.toString(),
    settled_amount: item.settledAtomic.toString(),
    payout_id: item.payout.id.toString(),
    relayer: lane.relayer,
    batch_id: batchId,
    direct,
  });
  await pool.query(
    `insert into svc.log_proofs (network, transaction_id, log_index, mode, account_id, payment_id, created_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [lane.network, transactionId, mined.logIndex, item.mode, item.accountId, item.paymentId, NOW],
  );
  await insertRow(pool, 'payments', {
    ...intent,
    ...money,
    id: item.paymentId,
    status: 'completed',
    payer: item.payer,
    amount: item.settledAtomic.toString(),
    requested_amount: item.capAtomic.toString(),
    paid_amount: item.settledAtomic.toString(),
    fee_amount: breakdown.feeAtomic.toString(),
    refund_amount: breakdown.refundAtomic.toString(),
    external_cost_amount: '0',
    transaction_id: transactionId,
    transaction_split_id: `${transactionId}:${mined.logIndex}`,
    completed_at: NOW,
  });
  await insertRows(
    pool,
    'ledger_entries',
    entries.map((entry) => ({
      ...tenant,
      id: entry.id,
      payment_id: entry.paymentId,
      network: entry.network,
      asset: entry.asset,
      account_name: entry.accountName,
      party: entry.party,
      amount: entry.amountAtomic.toString(),
      transaction_id: entry.transactionId,
      log_index: entry.logIndex,
      created_at: isoTime(entry.createdAtMs),
    })),
  );
}
