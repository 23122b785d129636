// Makes a sample event: shaped like a real one of its type and marked as a sample. Nothing was paid and only the event
// itself is stored, so samples exist in test mode only.
import { atomicAmount, usd } from '@svc-pay/money';
import { type EventType, evmNetwork, type PaymentStatus, UPTO_CAP_METADATA_KEY } from '@svc-pay/protocol';
import { type Id, newId } from '@svc-pay/protocol/ids';
import type { CausedEvent, EventDraft, Origin } from '../event/event-draft.ts';
import type { Intent } from '../intent/intent.ts';
import { CANCELED_EVENT } from '../intent/intent-events.ts';
import { INTENT_STATUS } from '../intent/intent-transitions.ts';
import type { StoredPayment } from '../payment/payment.ts';
import { draftEvents, type Snapshot } from '../payment/payment-events.ts';
import { PAYMENT_STATUS } from '../payment/payment-transitions.ts';

/** Key in the metadata of the sample's object. */
export const SAMPLE_METADATA_KEY = 'svc_sample';

const NETWORK = evmNetwork(84_532);
const TOKEN = `0x${'70'.repeat(20)}`;
const PAYER = `0x${'aa'.repeat(20)}`;
const TRANSACTION = `0x${'5a'.repeat(32)}`;
const AMOUNT = atomicAmount(1_500_000n);
const FEE = atomicAmount(15_000n);
const USD = usd(1_500_000_000_000_000_000n);
const SHORTCODE = 'basesepolia_usdc';
const DAY_MS = 86_400_000;

const STATUS_TOLD: Readonly<Partial<Record<EventType, PaymentStatus>>> = {
  'payment.completed': PAYMENT_STATUS.completed,
  'payment.failed': PAYMENT_STATUS.failed,
  'payment.cancelled': PAYMENT_STATUS.canceled,
  'payment.refunded': PAYMENT_STATUS.refunded,
};

export function draftSample(accountId: Id<'account'>, type: EventType, origin: Origin, nowMs: number): EventDraft {
  const [draft] = draftEvents([causeOf(type)], snapshotFor(accountId, type, nowMs), origin, nowMs, 0);
  if (draft === undefined) throw new Error(`no sample of ${type}`);
  return draft;
}

function causeOf(type: EventType): CausedEvent {
  if (type !== 'payment.updated') return { type };
  return { type, previousAttributes: { transactionId: `0x${'a5'.repeat(32)}`, ledgerTxId: `0x${'a5'.repeat(32)}` } };
}

function snapshotFor(accountId: Id<'account'>, type: EventType, nowMs: number): Snapshot {
  const intent = intentFor(accountId, type, nowMs);
  return { intent, payment: type.startsWith('payment.') ? paymentFor(type, nowMs) : null };
}

function intentFor(accountId: Id<'account'>, type: EventType, nowMs: number): Intent {
  const confirmed = type === 'x402_upto_authorization_received';
  return {
    id: newId('paymentIntent', nowMs),
    accountId,
    mode: 'test',
    intentCode: 0,
    status: statusFor(type),
    upto: confirmed,
    amount: AMOUNT,
    tokenShortcode: SHORTCODE,
    network: NETWORK,
    ledgerId: TOKEN,
    amountUsd: USD,
    description: 'A sample event',
    resource: null,
    mimeType: null,
    expectedSender: null,
    payerPublicKey: null,
    metadata: {},
    serviceMetadata: {
      [SAMPLE_METADATA_KEY]: true,
      ...(confirmed && { [UPTO_CAP_METADATA_KEY]: AMOUNT.toString() }),
    },
    createdAtMs: nowMs,
    expiresAtMs: nowMs + DAY_MS,
    confirmedPayer: confirmed ? PAYER : null,
    confirmations: 1,
    createdWith: 'secret',
    tokens: [SHORTCODE],
  };
}

function statusFor(type: EventType): Intent['status'] {
  if (type === CANCELED_EVENT) return INTENT_STATUS.canceled;
  if (type === 'payment.completed' || type === 'payment.refunded') return INTENT_STATUS.completed;
  return type.startsWith('payment.') ? INTENT_STATUS.processing : INTENT_STATUS.requires_payment;
}

function paymentFor(type: EventType, nowMs: number): StoredPayment {
  const status = STATUS_TOLD[type] ?? PAYMENT_STATUS.pending;
  const paid = status === PAYMENT_STATUS.completed || status === PAYMENT_STATUS.refunded;
  return {
    id: newId('payment', nowMs),
    status,
    network: NETWORK,
    tokenSymbol: 'USDC',
    tokenShortcode: SHORTCODE,
    usdPerToken: null,
    asset: TOKEN,
    payer: PAYER,
    amount: AMOUNT,
    requestedAmount: AMOUNT,
    paidAmount: paid ? AMOUNT : null,
    feeAmount: paid ? FEE : null,
    splits: paid ? [] : null,
    returnedAmount: paid ? atomicAmount(0n) : null,
    refundedAmount: null,
    paidTotal: null,
    refundDueAmount: null,
    failureCode: status === PAYMENT_STATUS.failed ? 'insufficient_funds' : null,
    transactionId: status === PAYMENT_STATUS.failed || status === PAYMENT_STATUS.canceled ? null : TRANSACTION,
    transactionSplitId: null,
    settlementNumber: null,
    createdAtMs: nowMs,
    completedAtMs: paid ? nowMs : null,
    announced: true,
  };
}
