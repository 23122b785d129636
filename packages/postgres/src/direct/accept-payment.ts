// Completes an intent with a mismatched payment, by the merchant's word. It does not rely on checks of its caller. One
// transaction under the locks that the chain reader takes; core decides.
import {
  type AcceptRefusal,
  type Clock,
  acceptPayment as decide,
  INTENT_TRANSITIONS,
  isoTime,
  type Mode,
  PAYMENT_TRANSITIONS,
  type StoredPayment,
  statusesBefore,
} from '@svc-pay/core';
import { type Id, newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { writeAudit } from '../audit/write-audit.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { sqlStep } from '../database/status-sql.ts';
import { writeEvents } from '../event/write-events.ts';
import { type PaymentRow, paymentJson, paymentOf } from '../intent/load-intent.ts';
import { lockEarlierParts } from '../reader/earlier-parts.ts';
import { lockPayment } from '../reader/lock-for-apply.ts';
import { isSecretKeyOf } from '../settlement/is-secret-key-of.ts';

export type PaymentToAccept = {
  readonly accountId: Id<'account'>;
  readonly mode: Mode;
  readonly paymentId: Id<'payment'>;
  /** Secret key in whose name it is asked. Null: the caller named none. */
  readonly keyId: string | null;
};

export type AcceptedPayment =
  | { readonly ok: true; readonly intentId: Id<'paymentIntent'>; readonly changed: boolean }
  | { readonly ok: false; readonly code: AcceptRefusal | 'not_found' | 'key_invalid' };

const PAYMENT = sqlStep(PAYMENT_TRANSITIONS, 'mismatched', 'completed', 'accept');
const INTENT = sqlStep(
  INTENT_TRANSITIONS,
  statusesBefore(INTENT_TRANSITIONS, 'completed', 'accept'),
  'completed',
  'accept',
);

export function acceptPayment(
  { pool, clock }: { readonly pool: pg.Pool; readonly clock: Clock },
  asked: PaymentToAccept,
): Promise<AcceptedPayment> {
  return inTransaction(pool, (client) => accept(client, asked, clock.nowMs()));
}

async function accept(client: pg.ClientBase, asked: PaymentToAccept, nowMs: number): Promise<AcceptedPayment> {
  const { accountId, mode, paymentId, keyId } = asked;
  if (keyId !== null && !(await isSecretKeyOf(client, asked, keyId, nowMs))) return { ok: false, code: 'key_invalid' };
  const intentId = (await loadRow(client, asked))?.intent_id;
  if (intentId === undefined) return { ok: false, code: 'not_found' };
  const owner = { accountId, mode, intentId };
  // Another process has one of the rows: a refund or another payment is being written.
  const locked = await lockPayment(client, owner, paymentId);
  const parts = locked && (await lockEarlierParts(client, owner));
  const isAlone = parts !== undefined && (await lockTotals(client, asked));
  const row = await loadRow(client, asked);
  if (locked === undefined || parts === undefined || !isAlone || row === undefined)
    return { ok: false, code: 'intent_payment_under_way' };
  const { intent, version, eventSequence } = locked.read;
  const payment = paymentOf(row.payment);
  const partsAtomic = row.part_position === null ? null : (parts.get(row.part_position) ?? null);
  const isBeingRefunded = row.being_refunded;
  const requestId = newId('batch', nowMs);
  const judged = decide({ intent, eventSequence, payment, isBeingRefunded, partsAtomic }, requestId, nowMs);
  if (judged.verdict === 'completed') return { ok: true, intentId, changed: false };
  if (judged.verdict === 'refused') return { ok: false, code: judged.code };
  const { after, events } = judged;
  await writePayment(client, asked, after.payment, nowMs);
  const { rowCount } = await client.query({
    name: 'accept-payment-of-intent',
    text: `
      update svc.intents
      set status = ${INTENT.to}, payment_id = $5, amount = $6, ledger_id = $7, network = $8, token_shortcode = $9,
        event_sequence = event_sequence + $10, version = version + 1, updated_at = $11
      where account_id = $1 and mode = $2 and id = $3 and version = $4 and status ${INTENT.from}`,
    values: [
      accountId,
      mode,
      intentId,
      version,
      paymentId,
      after.intent.amount.toString(),
      after.intent.ledgerId,
      after.intent.network,
      after.intent.tokenShortcode,
      events.length,
      isoTime(nowMs),
    ],
  });
  if (rowCount !== 1) throw new Error(`intent ${intentId} has changed under its lock`);
  await writeEvents(
    client,
    events.map((event) => ({ event, owner })),
  );
  await writeAudit(client, nowMs, {
    accountId,
    mode,
    actor: keyId === null ? 'service:internal' : `key:${keyId}`,
    action: 'payment.accepted',
    target: paymentId,
    detail: { intentId, intentWas: intent.status, paidAmount: payment.paidAmount?.toString() ?? null },
  });
  return { ok: true, intentId, changed: true };
}

/** False when another process is writing a refund of the payment. */
async function lockTotals(client: pg.ClientBase, { accountId, mode, paymentId }: PaymentToAccept): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>({
    name: 'lock-accepted',
    text: 'select svc.lock_accepted($1, $2, $3) as locked',
    values: [accountId, mode, paymentId],
  });
  return rows[0]?.locked === true;
}

type Row = {
  readonly intent_id: Id<'paymentIntent'>;
  readonly payment: PaymentRow;
  readonly part_position: number | null;
  readonly being_refunded: boolean;
};

async function loadRow(
  client: pg.ClientBase,
  { accountId, mode, paymentId }: PaymentToAccept,
): Promise<Row | undefined> {
  const { rows } = await client.query<Row>({
    name: 'load-payment-to-accept',
    text: `
      select payment.intent_id, payment.part_position, ${paymentJson('payment')} as payment,
        exists (
          select from svc.refund_totals totals
          where totals.account_id = payment.account_id and totals.mode = payment.mode and totals.payment_id = payment.id
            and totals.reserved > 0
        ) as being_refunded
      from svc.payments payment
      where payment.account_id = $1 and payment.mode = $2 and payment.id = $3`,
    values: [accountId, mode, paymentId],
  });
  return rows[0];
}

async function writePayment(
  client: pg.ClientBase,
  { accountId, mode, paymentId }: PaymentToAccept,
  { paidTotal }: StoredPayment,
  nowMs: number,
): Promise<void> {
  const { rowCount } = await client.query({
    name: 'accept-payment',
    text: `
      update svc.payments
      set status = ${PAYMENT.to}, paid_total = $4, refund_due_amount = null, completed_at = $5, updated_at = $5
      where account_id = $1 and mode = $2 and id = $3 and status ${PAYMENT.from}`,
    values: [accountId, mode, paymentId, paidTotal?.toString() ?? null, isoTime(nowMs)],
  });
  if (rowCount !== 1) throw new Error(`payment ${paymentId} has changed under its lock`);
}
