// Restores one settled payment of an on-chain transaction to its state when that transaction was sent: claimed,
// authorized, pending, and bound to its batch. The lane's own steps record the result afterwards.
import {
  type CarriedPayment,
  decideRestoredPayment,
  isoTime,
  type RestoredPayment,
  SETTLEMENT_STATUS,
  type StoredSettlement,
} from '@svc-pay/core';
import type pg from 'pg';
import { sqlStatus } from '../database/status-sql.ts';
import { writeAdopted } from './adopt-payment.ts';
import type { PaymentToRestore } from './payment-to-restore.ts';
import { writeResumed } from './resume-payment.ts';
import { findStoredState } from './stored-payment-state.ts';

/** Runs in the caller's transaction, which must have checked the lease. */
export async function restorePayment(
  client: pg.ClientBase,
  given: PaymentToRestore & { readonly carried: CarriedPayment },
): Promise<RestoredPayment> {
  const stored = await findStoredState(client, given.carried);
  const { claim, owner } = stored;
  const said = {
    intentId: claim?.intentId ?? owner?.intentId ?? null,
    accountId: claim?.accountId ?? owner?.accountId ?? null,
    standIn: owner?.standIn ?? false,
  };
  const decided = decideRestoredPayment(given.carried, given.batch, stored);
  const { step } = decided;
  if (step === 'known') return { ...said, outcome: 'known' };
  if (step === 'refuse') return { ...said, outcome: 'refused', reason: decided.reason };
  if (step === 'bind') {
    await bindPayment(client, given, decided.settlement);
    return { ...said, outcome: 'bound' };
  }
  if (step === 'resume') {
    const resumed = await writeResumed(client, given, decided.owner);
    return resumed.ok ? { ...said, outcome: 'resumed' } : { ...said, outcome: 'refused', reason: resumed.reason };
  }
  step satisfies 'adopt';
  const adopted = await writeAdopted(client, given, given.carried.intentCode);
  if (!adopted.ok) return { ...said, outcome: 'refused', reason: adopted.reason };
  const { id: intentId, accountId } = adopted.intent;
  return { outcome: 'adopted', intentId, accountId, standIn: true };
}

export async function bindPayment(
  client: pg.ClientBase,
  { lease, batch, nowMs }: Omit<PaymentToRestore, 'carried'>,
  { accountId, mode, paymentId, status }: StoredSettlement,
): Promise<void> {
  const { rowCount } = await client.query({
    name: 'restore-bind-settlement',
    text: `
      update svc.settlements set status = ${sqlStatus(SETTLEMENT_STATUS.batched)}, relayer = $5, batch_id = $6, updated_at = $7
      where account_id = $1 and mode = $2 and payment_id = $3 and status = $4`,
    values: [accountId, mode, paymentId, status, lease.relayer, batch.id, isoTime(nowMs)],
  });
  if (rowCount !== 1) throw new Error(`the settlement of payment ${paymentId} is no longer ${status}`);
  // The payment may name another transaction than the others of the batch. The lane links all of them again.
  await client.query({
    name: 'restore-unlink-batch',
    text: 'update svc.batches set linked_transaction_id = null, seen_block_hash = null where id = $1',
    values: [batch.id],
  });
}
