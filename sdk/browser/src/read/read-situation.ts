// How an intent stands, from the three answers that say so. Only what decides something is read, and an answer that lacks
// its status or speaks of another intent says nothing at all.
import { INTENT_STATUSES, type IntentStatus, SETTLE_STATUSES, type SettleStatus } from '@svc-pay/protocol';
import { type Fields, fieldsOf, textIn } from './fields.ts';

/** Where an intent keeps the cap, from the moment its authorization is stored. */
const CAP_KEY = 'svc_x402_upto_max_amount_atomic';

export type Situation = {
  readonly status: IntentStatus;
  /** Null: no transaction carries the payment. Absent where the answer does not say. */
  readonly transactionId?: string | null;
  readonly requestedAmount: string | null;
  readonly paidAmount: string | null;
  readonly authorizedCap: string | null;
};

/** The body of a GET, of notify and of a stream's event. */
export function readSituation(body: unknown, paymentIntentId: string): Situation | undefined {
  const fields = fieldsOf(body);
  const intent = fieldsOf(fields?.['paymentIntent']);
  if (textIn(intent, 'id') !== paymentIntentId) return undefined;
  const status = oneOf(INTENT_STATUSES, intent?.['status']);
  return status && { status, ...paymentIn(fields) };
}

export type SettleAnswer = Omit<Situation, 'status'> & {
  readonly status: SettleStatus;
  readonly error: string | undefined;
};

export function readSettleAnswer(body: unknown, paymentIntentId: string): SettleAnswer | undefined {
  const fields = fieldsOf(body);
  const status = oneOf(SETTLE_STATUSES, fields?.['status']);
  if (fields === undefined || status === undefined || speaksOfAnother(fields, paymentIntentId)) return undefined;
  return {
    status,
    ...paymentIn(fields),
    ...transactionIn(fields),
    error: textIn(fields, 'error'),
  };
}

export type ConfirmAnswer =
  | { readonly ok: true; readonly status: IntentStatus; readonly expiresAt: string | null }
  | { readonly ok: false; readonly error: string };

export function readConfirmAnswer(body: unknown, paymentIntentId: string): ConfirmAnswer | undefined {
  const fields = fieldsOf(body);
  if (fields === undefined || speaksOfAnother(fields, paymentIntentId)) return undefined;
  if (fields['ok'] === false) return { ok: false, error: textIn(fields, 'error') ?? 'payment_failed' };
  const status = oneOf(INTENT_STATUSES, fields['status']);
  if (fields['ok'] !== true || status === undefined) return undefined;
  return { ok: true, status, expiresAt: textIn(fields, 'expiresAt') ?? null };
}

function speaksOfAnother(fields: Fields, paymentIntentId: string): boolean {
  const id = textIn(fieldsOf(fields['paymentIntent']), 'id');
  return id !== undefined && id !== paymentIntentId;
}

function paymentIn(fields: Fields | undefined): Omit<Situation, 'status'> {
  const payment = fieldsOf(fields?.['payment']);
  return {
    ...transactionIn(payment),
    requestedAmount: textIn(payment, 'requestedAmount') ?? null,
    paidAmount: textIn(payment, 'paidAmount') ?? null,
    authorizedCap: textIn(fieldsOf(fieldsOf(fields?.['paymentIntent'])?.['metadata']), CAP_KEY) ?? null,
  };
}

function transactionIn(fields: Fields | undefined): Pick<Situation, 'transactionId'> {
  const transactionId = fields?.['transactionId'] === null ? null : textIn(fields, 'transactionId');
  return transactionId === undefined ? {} : { transactionId };
}

function oneOf<const Word extends string>(words: readonly Word[], value: unknown): Word | undefined {
  return words.find((word) => word === value);
}
