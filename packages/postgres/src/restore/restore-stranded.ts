// Restores one stranded transfer that the chain has settled or returned, in one database transaction: its batch, its payment
// and the transfer in that batch, as they were when the transaction was sent. The lane's own steps record the result.
import {
  decideResolvedStranding,
  isoTime,
  type LaneLease,
  type OnChainTransaction,
  type ResolvedStranding,
  type RestoredStranded,
  type RestoredTransaction,
  SETTLEMENT_STATUS,
  STRANDED_STATUS,
  type StoredPaymentState,
  type StoredSettlement,
  type StrandedClaim,
  type Stranding,
} from '@svc-pay/core';
import type pg from 'pg';
import { sqlIs, sqlStatus } from '../database/status-sql.ts';
import { requireLease, withFence } from '../lane/lane-fence.ts';
import { failPayments } from '../payment/payment-results.ts';
import { writePaymentResults } from '../payment/write-payment-results.ts';
import { loadClaimedPayments } from '../stranded/claimed-payments.ts';
import { writeStranding } from '../stranded/record-authorization-outcome.ts';
import { writeAdopted } from './adopt-payment.ts';
import { type RestoredBatch, restoreBatch } from './restore-batch.ts';
import { raiseNonce } from './restore-transaction.ts';
import { writeResumed } from './resume-payment.ts';
import { findClaimedState, findStoredState } from './stored-payment-state.ts';

export type TransactionOfStranded = OnChainTransaction & { readonly resolved: ResolvedStranding };

/** Undefined, with nothing written, when the lane was taken over. */
export async function restoreStranded(
  pool: pg.Pool,
  lease: LaneLease,
  onChain: TransactionOfStranded,
  position: Stranding | undefined,
  nowMs: number,
): Promise<RestoredStranded | undefined> {
  let restored: RestoredStranded | undefined;
  const kept = await withFence(pool, async (client) => {
    await requireLease(client, lease);
    await client.query('savepoint before_stranded');
    const batch = await restoreBatch(client, lease, onChain, nowMs, 1);
    const reason = await restoreTransfer({ client, lease, batch, nowMs }, onChain.resolved, position);
    if (reason !== undefined) await client.query('rollback to savepoint before_stranded');
    await raiseNonce(client, lease, onChain.nonce + 1n, nowMs);
    const payments = await paymentsOf(client, onChain.resolved);
    restored = reason === undefined ? { ok: true, batch: batch.was, payments } : { ok: false, reason };
  });
  return kept ? restored : undefined;
}

async function paymentsOf(
  client: pg.ClientBase,
  resolved: ResolvedStranding,
): Promise<RestoredTransaction['payments']> {
  if (resolved.action === 'return') return [];
  const { carried } = resolved;
  const { owner } = await findStoredState(client, carried);
  const { intentId = null, accountId = null, standIn = false } = owner ?? {};
  return [{ outcome: 'bound', intentId, accountId, standIn, carried }];
}

type Restoring = {
  readonly client: pg.ClientBase;
  readonly lease: LaneLease;
  readonly batch: RestoredBatch;
  readonly nowMs: number;
};

/** Why the transfer is refused; undefined where it is in its batch. */
async function restoreTransfer(
  restoring: Restoring,
  resolved: ResolvedStranding,
  position: Stranding | undefined,
): Promise<string | undefined> {
  const { client, batch } = restoring;
  const { claimKey } = resolved.carried;
  const stored =
    resolved.action === 'settle'
      ? await findStoredState(client, resolved.carried)
      : await findClaimedState(client, claimKey);
  const decided = decideResolvedStranding(resolved, stored, { recorded: batch.was === 'recorded' });
  if (decided.step === 'known') return undefined;
  if (decided.step === 'refuse') return decided.reason;
  if (decided.step === 'write') {
    const refused = await writePayment(restoring, resolved, decided.owner);
    if (refused !== undefined) return refused;
  } else if (decided.from !== undefined) {
    await leaveQueue(restoring, resolved.action, decided.settlement, decided.from);
  }
  const { claim } = await findClaimedState(client, claimKey);
  const payment = claim?.settlement;
  if (payment === undefined) throw new Error('a stranded transfer has no payment after it was written');
  return bindTransfer(restoring, resolved, payment, position);
}

/** A payment that was lost is written as for a lane, and held instead of sent. */
async function writePayment(
  { client, lease, batch, nowMs }: Restoring,
  resolved: ResolvedStranding,
  owner: StoredPaymentState['owner'],
): Promise<string | undefined> {
  if (resolved.action !== 'settle') throw new Error('a return names no intent');
  const { carried } = resolved;
  const given = { lease, batch: { id: batch.id, recorded: false }, carried, nowMs };
  const written =
    owner === undefined
      ? await writeAdopted(client, given, carried.intentCode)
      : await writeResumed(client, given, owner);
  if (!written.ok) return written.reason;
  await client.query({
    name: 'restore-hold-stranded',
    text: `
      update svc.settlements
      set status = ${sqlStatus(SETTLEMENT_STATUS.held)}, updated_at = $2
      where batch_id = $1 and status ${sqlIs(SETTLEMENT_STATUS.batched)}`,
    values: [batch.id, isoTime(nowMs)],
  });
  return undefined;
}

/**
 * The authorization is used, so no batch of the backup can settle the payment: it is held, already bound to the batch that
 * completes it, or fails for a return.
 */
async function leaveQueue(
  { client, lease, batch, nowMs }: Restoring,
  action: ResolvedStranding['action'],
  { accountId, mode, paymentId }: StoredSettlement,
  from: Parameters<typeof writePaymentResults>[2],
): Promise<void> {
  if (action === 'settle') {
    await client.query({
      name: 'restore-hold-settlement',
      text: `
        update svc.settlements
        set status = ${sqlStatus(SETTLEMENT_STATUS.held)}, relayer = $5, batch_id = $6, updated_at = $4
        where account_id = $1 and mode = $2 and payment_id = $3`,
      values: [accountId, mode, paymentId, isoTime(nowMs), lease.relayer, batch.id],
    });
    return;
  }
  const claimed = (await loadClaimedPayments(client, [{ accountId, mode, paymentId }])).get(paymentId);
  if (claimed === undefined) throw new Error(`payment ${paymentId} has no claim`);
  const cause = { requestId: batch.id, nowMs };
  const results = await failPayments(client, [{ item: claimed.item, code: 'intent_not_payable' }], null, cause);
  await writePaymentResults(client, results, from, nowMs);
}

async function bindTransfer(
  { client, lease, batch, nowMs }: Restoring,
  { action, carried }: ResolvedStranding,
  { accountId, mode, paymentId, stranded }: StoredSettlement,
  position: Stranding | undefined,
): Promise<string | undefined> {
  if (!stranded) {
    if (position === undefined) return 'no log shows how its money came to the processor';
    const claimed = (await loadClaimedPayments(client, [{ accountId, mode, paymentId }])).get(paymentId);
    if (claimed === undefined) throw new Error(`payment ${paymentId} has no claim`);
    await writeStranding(client, { ...claimed, network: lease.network, position }, nowMs);
  }
  const { rowCount } = await client.query({
    name: 'restore-bind-stranded',
    text: `
      update svc.stranded_transfers
      set status = ${sqlStatus(STRANDED_STATUS.batched)}, action = $5, payment_id = $4, relayer = $6, batch_id = $7,
        reason = null, updated_at = $8
      where account_id = $1 and mode = $2 and claim_key = $3
        and status ${sqlIs(STRANDED_STATUS.queued, STRANDED_STATUS.batched, STRANDED_STATUS.mined, STRANDED_STATUS.blocked)}`,
    values: [
      accountId,
      mode,
      Buffer.from(carried.claimKey),
      paymentId,
      action,
      lease.relayer,
      batch.id,
      isoTime(nowMs),
    ],
  });
  return rowCount === 1 ? undefined : 'the books call its stranded transfer done in another transaction';
}

/** What the restore must know before it searches the logs. */
export async function findStrandedClaim(pool: pg.Pool, claimKey: Uint8Array): Promise<StrandedClaim> {
  const { rows } = await pool.query<{ seconds: string; recorded: boolean }>(
    `select floor(extract(epoch from c.created_at))::bigint as seconds, exists (
       select from svc.stranded_transfers r
       where r.account_id = c.account_id and r.mode = c.mode and r.claim_key = c.claim_key
     ) as recorded
     from svc.claims c where c.claim_key = $1`,
    [Buffer.from(claimKey)],
  );
  const [row] = rows;
  return { recorded: row?.recorded ?? false, claimedAtSeconds: row && BigInt(row.seconds) };
}
