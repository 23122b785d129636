// Records authorization outcomes that finalized logs prove. Each is one transaction, and is written only if the
// settlement still has the status for which the proof was made.
import {
  type BatchStatus,
  bookStranding,
  type ClaimedPayment,
  decideHeldCompletion,
  decideHeldGas,
  decideStranding,
  type HeldCompletion,
  isoTime,
  type LaneItem,
  type MinedBatch,
  mayQueueHeld,
  NO_LINK,
  SETTLEMENT_STATUS,
  type SettlementStatus,
  STRANDED_STATUS,
  type StrandedAction,
  type StrandedAuthorization,
  settledItems,
} from '@svc-pay/core';
import type { Rate } from '@svc-pay/money';
import type { NetworkId } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import { newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { entriesOfPayment } from '../database/entries-of-payment.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { insertText } from '../database/insert-text.ts';
import { namedParameters } from '../database/statement-parameters.ts';
import { sqlIs, sqlStatus } from '../database/status-sql.ts';
import { loadLosses, writeLosses } from '../ledger/gas-losses.ts';
import { linkPayments } from '../payment/link-payments.ts';
import { completePayments, failPayments } from '../payment/payment-results.ts';
import { writeEntries, writePaymentResults } from '../payment/write-payment-results.ts';
import { moveSettlements } from '../settlement/move-settlements.ts';
import { loadRevertedBatches } from '../settlement/reverted-batches.ts';
import { closeAuthorizations } from './watched-authorizations.ts';

const LOCK_SETTLEMENT = {
  name: 'lock-settlement',
  text: 'select status from svc.settlements where account_id = $1 and mode = $2 and payment_id = $3 for update',
};

/** Locks the settlement until the commit: no process queues the payment or writes its result meanwhile. */
async function lockSettlement(
  client: pg.ClientBase,
  { accountId, mode, paymentId }: Pick<LaneItem, 'accountId' | 'mode' | 'paymentId'>,
): Promise<SettlementStatus | undefined> {
  const { rows } = await client.query<{ status: SettlementStatus }>({
    ...LOCK_SETTLEMENT,
    values: [accountId, mode, paymentId],
  });
  return rows[0]?.status;
}

const STRANDED = namedParameters({
  account_id: 'text',
  mode: 'text',
  claim_key: 'bytea',
  intent_id: 'text',
  payment_id: 'text',
  network: 'text',
  action: 'text',
  stranded_transaction_id: 'text',
  stranded_log_index: 'integer',
  created_at: 'timestamptz',
});
const STRAND = {
  name: 'record-stranding',
  text: `
    ${insertText('svc.stranded_transfers', { ...STRANDED.at, status: sqlStatus(STRANDED_STATUS.queued), updated_at: STRANDED.at.created_at })}
    on conflict do nothing`,
};

/** Action of the stranded transfer; undefined if it was recorded before, or its payment is in progress again. */
export async function recordStranding(
  pool: pg.Pool,
  stranded: StrandedAuthorization,
  nowMs: number,
): Promise<StrandedAction | undefined> {
  return inTransaction(pool, (client) => writeStranding(client, stranded, nowMs));
}

/** `recordStranding` in the caller's transaction. */
export async function writeStranding(
  client: pg.ClientBase,
  stranded: StrandedAuthorization,
  nowMs: number,
): Promise<StrandedAction | undefined> {
  const { accountId, mode, claimKey, intentId, item, network, position } = stranded;
  const settlement = item === null ? undefined : await lockSettlement(client, item);
  const action = decideStranding({ paymentId: item?.paymentId ?? null, settlement: settlement ?? null });
  if (action === undefined) return undefined;
  const written = await client.query({
    ...STRAND,
    values: STRANDED.values({
      account_id: accountId,
      mode,
      claim_key: Buffer.from(claimKey),
      intent_id: intentId,
      payment_id: item?.paymentId ?? null,
      network,
      action,
      stranded_transaction_id: position.transactionId,
      stranded_log_index: position.logIndex,
      created_at: isoTime(nowMs),
    }),
  });
  if (written.rowCount !== 1) return undefined;
  if (item !== null) await writeEntries(client, bookStranding(network, item, position, { nowMs }));
  await closeAuthorizations(client, [stranded], nowMs);
  return action;
}

/** Fails a held payment whose authorization was used up without its money reaching the processor. */
export async function failHeld(pool: pg.Pool, payment: ClaimedPayment, code: ErrorCode, nowMs: number): Promise<void> {
  await inTransaction(pool, async (client) => {
    const cause = { requestId: newId('batch', nowMs), nowMs };
    const results = await failPayments(client, [{ item: payment.item, code }], null, cause);
    await writePaymentResults(client, results, SETTLEMENT_STATUS.held, nowMs);
  });
}

/** Queues held payments again whose reason to be held a reorg has removed. They leave their batch and name no transaction. */
export async function queueHeld(pool: pg.Pool, payments: readonly ClaimedPayment[], nowMs: number): Promise<void> {
  const items = payments.map(({ item }) => item);
  const reverted = await loadRevertedBatches(pool, items);
  const free = items.filter((item) => mayQueueHeld(item, reverted));
  await inTransaction(pool, async (client) => {
    const { held, queued } = SETTLEMENT_STATUS;
    const gone = await moveSettlements(client, free, { from: [held], to: queued }, nowMs);
    const requestId = newId('batch', nowMs);
    await linkPayments(
      client,
      gone.map((item) => ({ item, link: NO_LINK, requestId })),
      nowMs,
    );
  });
}

// The batch is locked before the settlement, as by every process that moves or reverses a batch.
export const LOCK_BATCH = {
  name: 'lock-batch-of-transaction',
  text: `
    select b.id, b.relayer, b.status, b.transaction_id, b.gas_booked, exists (
        select from svc.settlements other cross join lateral ${entriesOfPayment('other')} e
        where other.batch_id = b.id and e.transaction_id = t.transaction_id and e.asset = 'native'
      ) as gas_in_entries
    from svc.batch_transactions t join svc.batches b on b.id = t.batch_id
    where t.network = $1 and t.transaction_id = $2 for no key update of b`,
};

type BatchRow = {
  readonly id: string;
  readonly relayer: string;
  readonly status: BatchStatus;
  readonly transaction_id: string;
  readonly gas_booked: boolean;
  readonly gas_in_entries: boolean;
};

const BIND = {
  name: 'bind-settlement-to-batch',
  text: `
    update svc.settlements set relayer = $4, batch_id = $5, updated_at = $6
    where account_id = $1 and mode = $2 and payment_id = $3 and status ${sqlIs(SETTLEMENT_STATUS.held)}`,
};

/** Completes a held payment from the processor's own event. */
export async function completeHeld(
  pool: pg.Pool,
  network: NetworkId,
  { item }: ClaimedPayment,
  mined: MinedBatch,
  gasCoin: Rate | undefined,
  nowMs: number,
): Promise<HeldCompletion> {
  return inTransaction(pool, async (client): Promise<HeldCompletion> => {
    const { rows } = await client.query<BatchRow>({ ...LOCK_BATCH, values: [network, mined.transactionId] });
    const [row] = rows;
    const settlement = await lockSettlement(client, item);
    const batch = row && { status: row.status, transactionId: row.transaction_id };
    const done = decideHeldCompletion({ settlement, batch }, mined);
    if (row === undefined || done !== 'completed') return done;
    await client.query({
      ...BIND,
      values: [item.accountId, item.mode, item.paymentId, row.relayer, row.id, isoTime(nowMs)],
    });
    const losses = (await loadLosses(client, [row.id])).get(row.id) ?? [];
    const facts = { gasBooked: row.gas_booked, gasInEntries: row.gas_in_entries, losses };
    const gas = decideHeldGas(facts, item.paymentId, mined, { nowMs });
    await writeLosses(client, gas.losses);
    const shares = new Map([[item.paymentId, gas.gasAtomic]]);
    const settled = { batch: mined, parts: settledItems([item], mined), gas: shares };
    const lane = { network, relayer: row.relayer };
    const origin = { requestId: newId('batch', nowMs), nowMs };
    const results = await completePayments(client, lane, settled, gasCoin, origin);
    await writePaymentResults(client, results, SETTLEMENT_STATUS.held, nowMs);
    return done;
  });
}
