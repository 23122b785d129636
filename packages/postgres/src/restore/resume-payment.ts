// Loads the intent of a payment whose claim was lost, and writes the decided claim, authorization and payment.
import { type IntentOwner, OPEN_SETTLEMENT, resumePayment } from '@svc-pay/core';
import { familyOf, type NetworkId } from '@svc-pay/protocol';
import type pg from 'pg';
import { sqlIs } from '../database/status-sql.ts';
import { loadAcceptances } from '../intent/load-acceptances.ts';
import { lockIntent } from '../intent/load-intent.ts';
import { giveUpBatch } from '../lane/record-replaced.ts';
import { failPayments } from '../payment/payment-results.ts';
import { writePaymentResults } from '../payment/write-payment-results.ts';
import { loadClaimedPayments } from '../stranded/claimed-payments.ts';
import type { PaymentToRestore } from './payment-to-restore.ts';
import { writeRestored } from './write-restored-payment.ts';

export async function writeResumed(
  client: pg.ClientBase,
  given: PaymentToRestore,
  owner: IntentOwner,
): Promise<{ readonly ok: true } | { readonly ok: false; readonly reason: string }> {
  const { carried, lease, batch, nowMs } = given;
  const { network } = lease;
  const acceptances = await loadAcceptances(client, owner, owner.intentId);
  for (;;) {
    const found = await lockIntent(client, owner, owner.intentId);
    const latest = await loadLatest(client, owner, found?.payment?.id ?? null);
    const facts = { network, carried, batchId: batch.id, acceptances, found, settlement: latest?.settlement, nowMs };
    const decided = resumePayment(facts);
    if (decided.step === 'refuse') return { ok: false, reason: decided.reason };
    if (decided.step === 'write') {
      await writeRestored(client, given, decided.rows);
      return { ok: true };
    }
    if (latest === undefined) throw new Error(`intent ${owner.intentId} has no payment to fail`);
    const cause = { requestId: batch.id, nowMs };
    const results = await failPayments(client, [{ item: latest.item, code: 'intent_not_payable' }], null, cause);
    const emptied = await findBatchOf(client, owner, latest.item.paymentId);
    await writePaymentResults(client, results, decided.from, nowMs);
    if (emptied !== undefined) await giveUpIfEmpty(client, emptied, nowMs);
  }
}

type BatchOfOther = { readonly id: string; readonly network: NetworkId };

async function findBatchOf(
  client: pg.ClientBase,
  { accountId, mode }: IntentOwner,
  paymentId: string,
): Promise<BatchOfOther | undefined> {
  const { rows } = await client.query<BatchOfOther>({
    name: 'restore-batch-of-other',
    text: `
      select b.id, b.network from svc.settlements s join svc.batches b on b.id = s.batch_id
      where s.account_id = $1 and s.mode = $2 and s.payment_id = $3`,
    values: [accountId, mode, paymentId],
  });
  return rows[0];
}

/**
 * A Solana transaction carries one payment and expires: a batch that has lost its payment is never recorded, and nothing
 * waits for it. A batch of another chain keeps its nonce until the chain has used it.
 */
async function giveUpIfEmpty(client: pg.ClientBase, { id, network }: BatchOfOther, nowMs: number): Promise<void> {
  if (familyOf(network) !== 'solana') return;
  const { rowCount } = await client.query({
    name: 'restore-open-items',
    text: `select from svc.settlements where batch_id = $1 and status ${sqlIs(...OPEN_SETTLEMENT)} limit 1`,
    values: [id],
  });
  if (rowCount === 0) await giveUpBatch(client, id, nowMs);
}

async function loadLatest(client: pg.ClientBase, { accountId, mode }: IntentOwner, paymentId: string | null) {
  return (await loadClaimedPayments(client, [{ accountId, mode, paymentId }])).get(paymentId ?? '');
}
