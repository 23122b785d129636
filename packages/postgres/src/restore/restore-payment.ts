// Restores one settled payment of an on-chain transaction to its state when that transaction was sent: claimed,
// authorized, pending, and bound to its batch. The lane's own steps record the result afterwards.
import { isoTime } from '@svc-pay/core';
import type pg from 'pg';
import { adoptPayment } from './adopt-payment.ts';
import type { PaymentToRestore } from './payment-to-restore.ts';
import { resumePayment } from './resume-payment.ts';
import { findStoredState, type StoredSettlement } from './stored-payment-state.ts';

export type RestoredPayment = {
  /**
   * `known`: nothing was missing. `bound`: the payment existed without its batch. `resumed`: only the intent existed.
   * `adopted`: nothing existed, and a stand-in was made from chain data. `refused`: the database contradicts the chain.
   */
  readonly outcome: 'known' | 'bound' | 'resumed' | 'adopted' | 'refused';
  readonly intentId: string | null;
  readonly accountId: string | null;
  readonly reason?: string;
  /** The intent is a stand-in, made by this restore or an earlier one. */
  readonly standIn: boolean;
};

/** Runs in the caller's transaction, which must have checked the lease. */
export async function restorePayment(client: pg.ClientBase, given: PaymentToRestore): Promise<RestoredPayment> {
  const stored = await findStoredState(client, given.carried);
  const { claim, owner } = stored;
  const intentId = claim?.intentId ?? owner?.intentId ?? null;
  const said = {
    intentId,
    accountId: claim?.accountId ?? owner?.accountId ?? null,
    standIn: owner?.standIn ?? false,
  };
  const refused = (reason: string) => ({ ...said, outcome: 'refused', reason }) as const;
  if (claim !== undefined && claim.intentId !== owner?.intentId)
    return refused('its authorization is claimed for another intent');
  if (given.recorded)
    return isLookedAfter(claim?.settlement)
      ? { ...said, outcome: 'known' }
      : refused('its batch is recorded without it');
  if (claim?.settlement !== undefined) {
    const bound = await bindPayment(client, given, claim.settlement);
    return typeof bound === 'string' ? { ...said, outcome: bound } : refused(bound.reason);
  }
  if (owner === undefined) {
    const adopted = await adoptPayment(client, given);
    return adopted === undefined
      ? refused('no payout of ours has its payout id')
      : { outcome: 'adopted', ...adopted, standIn: true };
  }
  const problem = await resumePayment(client, given, owner);
  return problem === undefined ? { ...said, outcome: 'resumed' } : refused(problem);
}

/** True if the settlement is completed, or held: the settlement service's watcher concludes held payments. */
const isLookedAfter = (settlement: StoredSettlement | undefined) =>
  settlement?.status === 'completed' || settlement?.status === 'held';

/** Binds an existing payment to the batch that settled it, whichever batch it was in before. */
async function bindPayment(
  client: pg.ClientBase,
  { lease, batchId, carried, nowMs }: PaymentToRestore,
  settlement: StoredSettlement,
): Promise<'known' | 'bound' | { readonly reason: string }> {
  const { status, settledAtomic } = settlement;
  if (settledAtomic !== carried.settledAtomic)
    return { reason: `the chain settled ${carried.settledAtomic}, its order was ${settledAtomic}` };
  if (status === 'completed') return 'known';
  if (status === 'failed' || status === 'canceled') return { reason: `the books call its payment ${status}` };
  if (settlement.stranded) return { reason: 'its money is booked as stranded' };
  if (status === 'batched' && settlement.batchId === batchId) return 'known';
  await client.query({
    name: 'restore-bind-settlement',
    text: `
      update svc.settlements set status = 'batched', relayer = $4, batch_id = $5, updated_at = $6
      where account_id = $1 and mode = $2 and payment_id = $3`,
    values: [settlement.accountId, settlement.mode, settlement.paymentId, lease.relayer, batchId, isoTime(nowMs)],
  });
  return 'bound';
}
