// Loads the intents of payments, and the payments of intents, by their keys.
import type { Caller, DaySpan, Intent, StoredPayment } from '@svc-pay/core';
import type pg from 'pg';
import { type IntentRow, intentOf, type PaymentRow, paymentJson, paymentOf } from '../intent/load-intent.ts';
import { byKeysText, keyValues } from './list-statement.ts';

/** Who confirmed an up-to intent is not read: no list shows it. */
export const INTENT_COLUMNS = `account_id, mode, id, intent_code, status, x402_upto, amount, token_shortcode, network,
        ledger_id, amount_usd_atto, description, resource, mime_type, expected_sender, payer_public_key, metadata,
        service_metadata, created_at, expires_at, confirmations, null as confirmed_payer, payment_id`;

export type ListedIntentRow = IntentRow & { readonly payment_id: string | null };
export type ListedPaymentRow = { readonly id: string; readonly intent_id: string; readonly payment: PaymentRow };

export const PAYMENT_COLUMNS = `id, intent_id, ${paymentJson('payment')} as payment`;

const LOAD_INTENTS = { name: 'list-load-intents', text: byKeysText(INTENT_COLUMNS, 'svc.intents intent') };
const LOAD_PAYMENTS = { name: 'list-load-payments', text: byKeysText(PAYMENT_COLUMNS, 'svc.payments payment') };

export async function loadIntentRows(
  pool: pg.Pool,
  caller: Caller,
  ids: readonly string[],
  days?: DaySpan,
): Promise<ReadonlyMap<string, ListedIntentRow>> {
  if (ids.length === 0) return new Map();
  const { rows } = await pool.query<ListedIntentRow>({ ...LOAD_INTENTS, values: [...keyValues(caller, ids, days)] });
  return new Map(rows.map((row) => [row.id, row]));
}

export async function loadPaymentRows(
  client: pg.Pool | pg.ClientBase,
  caller: Caller,
  ids: readonly string[],
  days?: DaySpan,
): Promise<ReadonlyMap<string, ListedPaymentRow>> {
  if (ids.length === 0) return new Map();
  const { rows } = await client.query<ListedPaymentRow>({
    ...LOAD_PAYMENTS,
    values: [...keyValues(caller, ids, days)],
  });
  return new Map(rows.map((row) => [row.id, row]));
}

/** An item of a page. `position` is where a page that begins or ends with it goes on. */
export type ListedPayment = { readonly position: string; readonly payment: StoredPayment; readonly intent: Intent };
export type ListedIntent = {
  readonly position: string;
  readonly intent: Intent;
  /** The latest payment, if it was asked for. */
  readonly payment: StoredPayment | null;
};

/** Null for a payment whose intent is no longer kept. */
export function listedPayment(
  position: string,
  row: ListedPaymentRow | undefined,
  intent: ListedIntentRow | undefined,
): ListedPayment | null {
  if (row === undefined || intent === undefined) return null;
  return { position, payment: paymentOf(row.payment), intent: intentOf(intent) };
}
