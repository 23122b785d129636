// What finalized logs prove of an authorization, written down: one transaction each, and each only from the state in which
// the proof was asked for.
import { bookStranding, isoTime, type LaneItem, type MinedBatch, type Stranding } from '@svc-pay/core';
import type { Rate } from '@svc-pay/money';
import type { NetworkId } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import { newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { inTransaction } from '../stores/in-transaction.ts';
import type { ClaimedPayment } from './claimed-payments.ts';
import { completePayments, failPayments } from './end-payments.ts';
import { moveSettlements } from './move-settlements.ts';
import { type AuthorizationKey, closeAuthorizations } from './watched-authorizations.ts';
import { writeEnds, writeEntries } from './write-ends.ts';

export type StrandedAuthorization = AuthorizationKey & {
  readonly network: NetworkId;
  /** Its payment; null for an up-to authorization without one: then the money is held until the merchant decides. */
  readonly item: LaneItem | null;
  readonly place: Stranding;
};

const STRAND = {
  name: 'record-stranding',
  text: `
    insert into svc.recoveries (
      account_id, mode, claim_key, intent_id, payment_id, network, deed, status, stranded_transaction_id,
      stranded_log_index, created_at, updated_at
    )
    select $1, $2, $3, $4, $5::text, $6,
      case when $5::text is null then 'hold' when s.status = 'held' then 'settle' else 'return' end, 'queued', $7, $8, $9, $9
    from (select 1) one
    left join svc.settlements s on s.account_id = $1 and s.mode = $2 and s.payment_id = $5::text
    where $5::text is null or s.status in ('held', 'failed', 'canceled')
    on conflict do nothing
    returning deed`,
};

/** What is done with it; undefined when it was recorded before, or its payment is on its way again. */
export async function recordStranding(
  pool: pg.Pool,
  stranded: StrandedAuthorization,
  nowMs: number,
): Promise<'settle' | 'return' | 'hold' | undefined> {
  const { accountId, mode, claimKey, intentId, item, network, place } = stranded;
  return inTransaction(pool, async (client) => {
    // Held until the commit: nobody queues or ends the payment meanwhile.
    await client.query({
      name: 'lock-settlement',
      text: 'select from svc.settlements where account_id = $1 and mode = $2 and payment_id = $3 for update',
      values: [accountId, mode, item?.paymentId ?? null],
    });
    const { rows } = await client.query<{ deed: 'settle' | 'return' | 'hold' }>({
      ...STRAND,
      values: [
        accountId,
        mode,
        Buffer.from(claimKey),
        intentId,
        item?.paymentId ?? null,
        network,
        place.transactionId,
        place.logIndex,
        isoTime(nowMs),
      ],
    });
    const [row] = rows;
    if (row === undefined) return undefined;
    if (item !== null) await writeEntries(client, bookStranding(network, item, place, { nowMs }));
    await closeAuthorizations(client, [stranded], nowMs);
    return row.deed;
  });
}

/** A held payment whose authorization is gone without its money having come to us. */
export async function failHeld(pool: pg.Pool, payment: ClaimedPayment, code: ErrorCode, nowMs: number): Promise<void> {
  await inTransaction(pool, async (client) => {
    const cause = { requestId: newId('batch', nowMs), nowMs };
    const ends = await failPayments(client, [{ item: payment.item, code }], null, cause);
    await writeEnds(client, ends, 'held', nowMs);
  });
}

/** Held ones that nothing stands in the way of any more: what the chain said was taken back. */
export async function queueHeld(pool: pg.Pool, payments: readonly ClaimedPayment[], nowMs: number): Promise<void> {
  const items = payments.map(({ item }) => item);
  await moveSettlements(pool, items, { from: ['held'], to: 'queued' }, nowMs);
}

const BIND = {
  name: 'bind-settlement-to-batch',
  text: `
    update svc.settlements s set relayer = b.relayer, batch_id = b.id, updated_at = $5
    from svc.batch_transactions t join svc.batches b on b.id = t.batch_id
    where s.account_id = $1 and s.mode = $2 and s.payment_id = $3 and s.status = 'held'
      and t.network = s.network and t.transaction_id = $4 and b.transaction_id = t.transaction_id
      and b.status in ('mined', 'finalized')
    returning b.relayer, exists (
      select from svc.ledger_entries e
      join svc.settlements other on other.account_id = e.account_id and other.mode = e.mode
        and other.payment_id = e.payment_id
      where other.batch_id = b.id and e.transaction_id = t.transaction_id and e.asset = 'native'
    ) as gas_booked`,
};

/**
 * Completes a held payment from the processor's own event. False when the transaction is none of a recorded batch: then a
 * person must find out who holds our key.
 */
export async function completeHeld(
  pool: pg.Pool,
  network: NetworkId,
  { item }: ClaimedPayment,
  mined: MinedBatch,
  gasCoin: Rate | undefined,
  nowMs: number,
): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ relayer: string; gas_booked: boolean }>({
      ...BIND,
      values: [item.accountId, item.mode, item.paymentId, mined.transactionId, isoTime(nowMs)],
    });
    const [bound] = rows;
    const [part] = mined.items;
    if (bound === undefined || part?.outcome !== 'settled') return false;
    // What the transaction cost is shared by those that were recorded with it.
    const paid = bound.gas_booked ? { ...mined, gasCostAtomic: 0n } : mined;
    const cause = { requestId: newId('batch', nowMs), nowMs };
    const lane = { network, relayer: bound.relayer };
    const parts = [{ item, mined: part }];
    await writeEnds(client, await completePayments(client, lane, paid, parts, gasCoin, cause), 'held', nowMs);
    return true;
  });
}
