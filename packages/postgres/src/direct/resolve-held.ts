// Ends a direct payment that is held for the merchant, by the merchant's word. One transaction under the locks that the chain
// reader takes; core decides.
import {
  decideHeldReceipt,
  directEvidence,
  foreignCompletion,
  isoTime,
  type LaneItem,
  type MerchantWord,
  PAYMENT_STATUS,
  SETTLEMENT_STATUS,
  type SettlementStatus,
  type StoredPayment,
  type TransferLog,
} from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import { type Id, newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import type { Operation } from '../audit/operation.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { failPayments, loadBefores } from '../payment/payment-results.ts';
import { closeRefused } from '../payment/refused-authorizations.ts';
import { writePaymentResults } from '../payment/write-payment-results.ts';
import { lockPayment, type OwnedIntent } from '../reader/lock-for-apply.ts';
import { loadClaimedPayments } from '../stranded/claimed-payments.ts';
import { closeAuthorizations } from '../stranded/watched-authorizations.ts';

export type PaymentToResolve = {
  readonly accountId: string;
  readonly mode: 'test' | 'live';
  readonly paymentId: string;
};

/** The transfer that the merchant was asked about. */
export type HeldTransfer = {
  readonly network: NetworkId;
  readonly transactionId: string;
  readonly logIndex: number;
  readonly payer: string;
  readonly wallet: string;
  readonly amountAtomic: string;
  /** Why the merchant was asked. */
  readonly reason: string;
};

export type ResolvedHeld =
  | {
      readonly ok: true;
      readonly intentId: string;
      readonly status: StoredPayment['status'];
      readonly transfer: HeldTransfer | undefined;
    }
  | {
      readonly ok: false;
      readonly code: 'payment_unknown' | 'payment_not_held' | 'receipt_unknown' | 'payment_busy';
    };

export async function resolveHeld(
  operation: Operation,
  held: PaymentToResolve,
  word: MerchantWord,
): Promise<ResolvedHeld> {
  const { pool, nowMs, actor } = operation;
  const { paymentId } = held;
  return inTransaction(pool, async (client): Promise<ResolvedHeld> => {
    const owner = await findOwner(client, held);
    if (owner === undefined) return { ok: false, code: 'payment_unknown' };
    if ((await lockPayment(client, owner, paymentId)) === undefined) return { ok: false, code: 'payment_busy' };
    const row = await loadSettlement(client, held);
    const item = (await loadClaimedPayments(client, [{ ...owner, paymentId }])).get(paymentId)?.item;
    if (row === undefined || item === undefined) return { ok: false, code: 'payment_not_held' };
    const receipt = await lockReceipt(client, row, paymentId);
    const decided = decideHeldReceipt(
      {
        settlement: row.status,
        heldForMerchant: row.held_for_merchant,
        signed: { payer: item.payer, wallet: item.processor, amountAtomic: item.capAtomic },
        receipt: receipt && transferOf(receipt),
      },
      word,
    );
    if (decided.step === 'none') return { ok: false, code: decided.code };
    const origin = { requestId: newId('batch', nowMs), nowMs };
    if (decided.step === 'fail') {
      const results = await failPayments(client, [{ item, code: decided.code }], null, origin);
      await writePaymentResults(client, results, SETTLEMENT_STATUS.held, nowMs);
    } else {
      if (receipt === undefined) throw new Error(`payment ${paymentId} has no receipt`);
      await takeReceipt(client, receipt);
      const evidence = directEvidence(receipt.network, receipt.transaction_id, receipt.log_index);
      const before = (await loadBefores(client, [item])).get(item.intentId);
      await writePaymentResults(
        client,
        [foreignCompletion(before, item, evidence, origin)],
        SETTLEMENT_STATUS.held,
        nowMs,
      );
    }
    await endHold(client, item, nowMs);
    await closeAuthorizations(client, [{ ...owner, claimKey: row.claim_key }], nowMs);
    await closeRefused(client, [row.claim_key], nowMs);
    const transfer = receipt && shownTransfer(receipt);
    await writeAudit(client, nowMs, {
      accountId: owner.accountId,
      mode: owner.mode,
      actor,
      action: word === 'accept' ? 'payment.accepted' : 'payment.refused',
      target: paymentId,
      ...(transfer && { detail: { ...transfer } }),
    });
    const status = decided.step === 'fail' ? PAYMENT_STATUS.failed : PAYMENT_STATUS.completed;
    return { ok: true, intentId: owner.intentId, status, transfer };
  });
}

async function findOwner(
  client: pg.ClientBase,
  { accountId, mode, paymentId }: PaymentToResolve,
): Promise<OwnedIntent | undefined> {
  const { rows } = await client.query<{ intent_id: Id<'paymentIntent'> }>(
    'select intent_id from svc.payments where account_id = $1 and mode = $2 and id = $3',
    [accountId, mode, paymentId],
  );
  return rows[0] && { accountId: accountId as Id<'account'>, mode, intentId: rows[0].intent_id };
}

type SettlementRow = {
  readonly status: SettlementStatus;
  readonly held_for_merchant: boolean;
  readonly network: NetworkId;
  readonly claim_key: Buffer;
  readonly created_at: Date;
};

async function loadSettlement(
  client: pg.ClientBase,
  { accountId, mode, paymentId }: PaymentToResolve,
): Promise<SettlementRow | undefined> {
  const { rows } = await client.query<SettlementRow>(
    `select status, held_for_merchant, network, claim_key, created_at from svc.settlements
     where account_id = $1 and mode = $2 and payment_id = $3`,
    [accountId, mode, paymentId],
  );
  return rows[0];
}

type ReceiptRow = {
  readonly network: NetworkId;
  readonly transaction_id: string;
  readonly log_index: number;
  readonly reason: string;
  readonly log: { readonly payer: string; readonly to: string; readonly valueAtomic: string };
};

/** The receipt that was stored when the payment was held. */
async function lockReceipt(
  client: pg.ClientBase,
  { network, created_at }: SettlementRow,
  paymentId: string,
): Promise<ReceiptRow | undefined> {
  const { rows } = await client.query<ReceiptRow>(
    `select network, transaction_id, log_index, reason, log from svc.log_proofs
     where network = $1 and payment_id is null and created_at >= $2::timestamptz - interval '1 hour'
       and log ->> 'paymentId' = $3
     order by created_at limit 1 for update`,
    [network, created_at, paymentId],
  );
  return rows[0];
}

function transferOf({ log_index, log }: ReceiptRow): TransferLog {
  return { logIndex: log_index, from: log.payer, to: log.to, valueAtomic: BigInt(log.valueAtomic) };
}

function shownTransfer({ network, transaction_id, log_index, reason, log }: ReceiptRow): HeldTransfer {
  return {
    network,
    transactionId: transaction_id,
    logIndex: log_index,
    payer: log.payer,
    wallet: log.to,
    amountAtomic: log.valueAtomic,
    reason,
  };
}

/** The log proves the payment instead: its row is written with the result, in this transaction. */
async function takeReceipt(client: pg.ClientBase, { network, transaction_id, log_index }: ReceiptRow): Promise<void> {
  const { rowCount } = await client.query(
    `delete from svc.log_proofs
     where network = $1 and transaction_id = $2 and log_index = $3 and payment_id is null`,
    [network, transaction_id, log_index],
  );
  if (rowCount !== 1) throw new Error(`the receipt ${transaction_id}:${log_index} has changed under its lock`);
}

async function endHold(client: pg.ClientBase, { accountId, mode, paymentId }: LaneItem, nowMs: number): Promise<void> {
  await client.query(
    `update svc.settlements set held_for_merchant = false, updated_at = $4
     where account_id = $1 and mode = $2 and payment_id = $3`,
    [accountId, mode, paymentId, isoTime(nowMs)],
  );
}
