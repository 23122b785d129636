// Restores one on-chain transfer in one database transaction: its batch and its payment, or nothing. A second run changes
// nothing.
import {
  type CarriedTransfer,
  choosePayout,
  decideRestoredPayment,
  type LaneLease,
  type OnChainTransfer,
  type OwnedPayout,
  type RestoredRows,
  type RestoredTransfer,
} from '@svc-pay/core';
import { isId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { loadAcceptances } from '../intent/load-acceptances.ts';
import { requireLease, withFence } from '../lane/lane-fence.ts';
import { adoptWith } from './adopt-payment.ts';
import type { PaymentToRestore } from './payment-to-restore.ts';
import { type RestoredBatch, restoreBatch } from './restore-batch.ts';
import { bindPayment } from './restore-payment.ts';
import { raiseNonce } from './restore-transaction.ts';
import { writeResumed } from './resume-payment.ts';
import { findStoredTransfer } from './stored-payment-state.ts';
import { loadOwnedPayouts } from './transfer-payouts.ts';

/** Undefined, with nothing written, when the lane was taken over. */
export async function restoreTransfer(
  pool: pg.Pool,
  lease: LaneLease,
  onChain: OnChainTransfer,
  nowMs: number,
): Promise<RestoredTransfer | undefined> {
  let restored: RestoredTransfer | undefined;
  const kept = await withFence(pool, async (client) => {
    await requireLease(client, lease);
    await client.query('savepoint before_transfer');
    const batch = await storeBatch(client, lease, onChain, nowMs);
    const payment = await restorePayment(client, lease, onChain, batch, nowMs);
    const isRefused = payment.outcome === 'refused';
    if (isRefused) await client.query('rollback to savepoint before_transfer');
    restored = { batch: isRefused ? 'refused' : batch.was, payment };
  });
  return kept ? restored : undefined;
}

/** The lane's nonces only count its transactions, so a batch that was lost gets the next one. */
async function storeBatch(
  client: pg.ClientBase,
  lease: LaneLease,
  { network, relayer, transactionId, raw, slot }: OnChainTransfer,
  nowMs: number,
): Promise<RestoredBatch> {
  const { rows } = await client.query<{ next_nonce: string }>(
    'select next_nonce from svc.relayers where network = $1 and address = $2 for no key update',
    [network, relayer],
  );
  const nonce = BigInt(rows[0]?.next_nonce ?? 0);
  const sent = { network, relayer, nonce, transactionId, raw, blockNumber: slot, form: 'settle' } as const;
  const batch = await restoreBatch(client, lease, { ...sent, carried: [], settled: [] }, nowMs, 1);
  if (batch.was === 'missing') await raiseNonce(client, lease, nonce + 1n, nowMs);
  return batch;
}

type Payment = RestoredTransfer['payment'];

async function restorePayment(
  client: pg.ClientBase,
  lease: LaneLease,
  { carried, payouts }: OnChainTransfer,
  { id, was }: RestoredBatch,
  nowMs: number,
): Promise<Payment> {
  const owned = await loadOwnedPayouts(client, lease.network, payouts);
  const stored = await findStoredTransfer(client, carried, owned);
  const { claim, owner } = stored;
  const batch = { id, recorded: was === 'recorded' };
  const decided = decideRestoredPayment(carried, batch, stored);
  const offered = owner && (await loadAcceptances(client, owner, owner.intentId));
  const chosen = choosePayout(owned, offered);
  const said = {
    intentId: claim?.intentId ?? owner?.intentId ?? null,
    accountId: claim?.accountId ?? owner?.accountId ?? null,
    standIn: owner?.standIn ?? false,
    intentCode: stored.intentCode,
    payoutId: chosen.ok ? chosen.payout.payoutId.toString() : null,
  };
  const refused = (reason: string): Payment => ({ ...said, outcome: 'refused', reason });
  const { step } = decided;
  if (step === 'known') return { ...said, outcome: 'known' };
  if (step === 'refuse') return refused(decided.reason);
  if (step === 'bind') {
    await bindPayment(client, { lease, batch, nowMs }, decided.settlement);
    return { ...said, outcome: 'bound' };
  }
  // The wallet may be that of several accounts: money of one account's intent is never booked for another account.
  if (stored.elsewhere !== undefined)
    return refused(
      `its intent is of account ${stored.elsewhere}, and no payout of that account divides it so: set the payout again, then run the restore again`,
    );
  if (!chosen.ok) return refused(chosen.reason);
  const given = { lease, batch, carried: dividedBy(carried, chosen.payout, nowMs), nowMs };
  if (step === 'resume') {
    const resumed = await writeResumed(client, given, decided.owner);
    return resumed.ok ? { ...said, outcome: 'resumed' } : refused(resumed.reason);
  }
  step satisfies 'adopt';
  return adoptTransfer(client, given, carried, chosen.payout, refused);
}

/** The stand-in has the id that the memo names, so that the merchant finds it under the id that they know. */
async function adoptTransfer(
  client: pg.ClientBase,
  given: PaymentToRestore,
  { intentId }: CarriedTransfer,
  payoutOwner: OwnedPayout,
  refused: (reason: string) => Payment,
): Promise<Payment> {
  const { rows } = await client.query<{ code: string }>('select svc.next_intent_code() as code');
  const intentCode = BigInt(rows[0]?.code ?? 0);
  const named = intentId !== null && isId('paymentIntent', intentId) ? { intentId } : {};
  const adopted = await adoptWith(client, given, { payoutOwner, intentCode, ...named });
  if (!adopted.ok) return refused(adopted.reason);
  const { id, accountId } = adopted.intent;
  const payoutId = payoutOwner.payoutId.toString();
  return { outcome: 'adopted', intentId: id, accountId, standIn: true, intentCode: intentCode.toString(), payoutId };
}

/** Where the nodes do not tell the time of the block, the moment of the restore is the end of the authorization. */
function dividedBy(
  { transfer, ...carried }: CarriedTransfer,
  { payoutId, merchant, feeRecipient }: OwnedPayout,
  nowMs: number,
): RestoredRows['carried'] {
  const nowSeconds = BigInt(Math.floor(nowMs / 1_000));
  return {
    ...carried,
    processor: merchant,
    payoutId,
    validBeforeSeconds: carried.validBeforeSeconds ?? nowSeconds,
    transfer: { ...transfer, feeRecipient },
  };
}
