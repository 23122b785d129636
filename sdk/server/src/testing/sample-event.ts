// Deliveries as the service makes them, for tests.
import { createHmac } from 'node:crypto';
import { API_VERSION, type EventType, PAYMENT_EVENT_TYPES } from '@svc-pay/protocol';

export const ACCOUNT_KEY = 'sk_test_receiver';
const ENDPOINT_KEY = Buffer.alloc(32, 7);
export const ENDPOINT_SECRET = `whsec_${ENDPOINT_KEY.toString('base64')}`;
export const NOW_SECONDS = 1_800_000_000;
export const now = () => NOW_SECONDS * 1_000;

const intent = {
  id: 'pi_1',
  accountId: 'acct_1',
  amount: '12500000',
  ledgerCanisterId: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  description: null,
  expectedSenderPrincipal: null,
  status: 'completed',
  intentCode: 7,
  metadata: { order: '42', note: 'grüß' },
  createdAt: '2026-11-15T10:00:00.000Z',
  x402_upto: false,
  confirmations: 1,
  expiresAt: null,
};

const snapshot = {
  id: 'pi_1',
  object: 'payment_intent',
  paymentIntentId: 'pi_1',
  status: 'requires_payment',
  amount: '12500000',
  amountUsd: 12.5,
  ledgerCanisterId: null,
  payer: null,
  metadata: { svc_x402_upto_max_amount_atomic: '12500000' },
  intentCode: 7,
};

const payment = {
  id: 'pay_1',
  accountId: 'acct_1',
  paymentIntentId: 'pi_1',
  transactionId: '0xabc',
  transactionSplitId: null,
  canisterTxId: null,
  status: 'completed',
  amount: '12500000',
  ledgerCanisterId: intent.ledgerCanisterId,
  ledgerTxId: null,
  accountCanisterId: null,
  basePaymentAccountId: null,
  invoiceId: null,
  metadata: intent.metadata,
  requestedAmount: '12500000',
  paidAmount: '12500000',
  createdAt: '2026-11-15T10:00:00.000Z',
  completedAt: '2026-11-15T10:00:05.000Z',
  network: 'evm',
  token: 'USDC',
};

export function sampleEvent(type: string = 'payment.completed', id = 'evt_1') {
  const isPayment = (PAYMENT_EVENT_TYPES as readonly string[]).includes(type);
  const object = type.startsWith('payment_intent.') ? intent : isPayment ? payment : snapshot;
  return {
    id,
    object: 'event' as const,
    api_version: API_VERSION,
    created: NOW_SECONDS,
    data: { object },
    livemode: false,
    pending_webhooks: 1,
    request: { id: 'req_1', idempotency_key: null },
    type: type as EventType,
  };
}

export const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value));

/** Headers of the account's way, by the words of the interface alone. */
export function signed(body: Uint8Array, { key = ACCOUNT_KEY, atSeconds = NOW_SECONDS } = {}) {
  const v1 = createHmac('sha256', key).update(`${atSeconds}.`).update(body).digest('hex');
  return {
    'content-type': 'application/json',
    'x-svc-signature': `t=${atSeconds},v1=${v1}`,
    'x-svc-timestamp': `${atSeconds}`,
  };
}

/** Headers of Standard Webhooks. */
export function standardSigned(body: Uint8Array, { key = ENDPOINT_KEY, atSeconds = NOW_SECONDS, id = 'evt_1' } = {}) {
  const digest = createHmac('sha256', key).update(`${id}.${atSeconds}.`).update(body).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': `${atSeconds}`, 'webhook-signature': `v1,${digest}` };
}
