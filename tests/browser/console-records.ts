// Payments that the double of the console's server makes up: the same ones in every run, but for their times.
import { newId } from '@svc-pay/protocol/ids';

export const ACCOUNT = 'acct_01jc0000000000000000000000';
export const NOW = Date.now();
export const MINUTE = 60_000;
const PAYER = '0x52908400098527886E0F7030069857D2E4169EE7';
export const WALLET = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
const RELAYER = '0xde709f2102306220921060314715629080e2fb77';
export const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const HASH = `0x7f3a91c2${'5e'.repeat(25)}b81d04`;
const EXPLORER = `https://basescan.org/tx/${HASH}`;

export const iso = (ms: number) => new Date(ms).toISOString();
/** The same id for the same number, in every run. */
export const idOf = (kind: Parameters<typeof newId>[0], index: number) =>
  newId(kind, 1_790_000_000_000 - index, (length) => Uint8Array.from({ length }, (_, at) => (index * (at + 3)) % 251));

const STATUSES = [
  'completed',
  'completed',
  'completed',
  'pending',
  'completed',
  'failed',
  'completed',
  'mismatched',
  'completed',
  'refunded',
] as const;
const ABOUT = [
  'Green tea, 2 tins',
  'Biscuits and a card',
  'Subscription, November',
  'Verse by post',
  null,
  'Order 10-4471',
] as const;

/** The first is the one whose timeline is shown. */
const payerOf = (index: number) =>
  index % 5 === 0 ? PAYER : `0x${((index * 2_654_435_761) % 4_294_967_296).toString(16).padStart(8, '0').repeat(5)}`;

/** Whole cents, as shops ask for them. */
const centsOf = (index: number) => 1_250 + ((index * 7_919) % 9_900);
const amountOf = (index: number) => String(centsOf(index) * 10_000);
const paidOf = (index: number, status: string) => (status === 'mismatched' ? '10000000' : amountOf(index));
/** One in a hundred. */
const feeOf = (paid: string) => (BigInt(paid) / 100n).toString();
const usdOf = (index: number) => `${Math.floor(centsOf(index) / 100)}.${String(centsOf(index) % 100).padStart(2, '0')}`;

export const intent = (index: number, status = 'completed') => ({
  id: idOf('paymentIntent', index),
  accountId: ACCOUNT,
  amount: amountOf(index),
  ledgerCanisterId: USDC,
  description: ABOUT[index % ABOUT.length] ?? null,
  expectedSenderPrincipal: null,
  status,
  intentCode: 4_711 + index,
  metadata: { order: `10-${index}` },
  createdAt: iso(NOW - index * 7 * MINUTE),
  x402_upto: status === 'requires_payment',
  expiresAt: iso(NOW + 30 * MINUTE),
  confirmations: 1,
  amountUsd: usdOf(index),
  tokens: ['base_usdc', 'base_eurc'],
  createdWith: 'secret',
});

export const payment = (index: number, status: string = STATUSES[index % STATUSES.length] ?? 'completed') => ({
  id: idOf('payment', index),
  accountId: ACCOUNT,
  paymentIntentId: idOf('paymentIntent', index),
  transactionId: HASH,
  transactionSplitId: null,
  canisterTxId: null,
  status,
  amount: amountOf(index),
  ledgerCanisterId: USDC,
  ledgerTxId: null,
  accountCanisterId: null,
  basePaymentAccountId: null,
  invoiceId: null,
  metadata: { order: `10-${index}` },
  requestedAmount: amountOf(index),
  paidAmount: paidOf(index, status),
  createdAt: iso(NOW - index * 7 * MINUTE),
  completedAt: iso(NOW - index * 7 * MINUTE + 2_310),
  network: 'evm',
  token: USDC,
  payer: payerOf(index),
  chain: 'eip155:8453',
  tokenShortcode: 'base_usdc',
  decimals: 6,
  amountUsd: usdOf(index),
  feeAmount: feeOf(paidOf(index, status)),
  splits: [],
  netAmount: (BigInt(paidOf(index, status)) - BigInt(feeOf(paidOf(index, status)))).toString(),
  refundedAmount: status === 'refunded' ? amountOf(index) : '0',
  refundDueAmount: null,
  failureCode: status === 'failed' ? 'insufficient_funds' : null,
  failureMessage: null,
  explorerUrl: EXPLORER,
});

/** Index of the payment that a made-up id belongs to; the first ones are enough for pages of one payment. */
export const indexOf = (intentId: string) =>
  Math.max(0, Array.from({ length: 40 }, (_, index) => idOf('paymentIntent', index)).indexOf(intentId as never));

const EVENT = idOf('event', 1);
export const ENDPOINT = idOf('endpoint', 1);

export function timeline(intentId: string) {
  const index = indexOf(intentId);
  const { status } = payment(index);
  const start = NOW - index * 7 * MINUTE;
  const at = (ms: number) => iso(start + ms);
  const intentStatus =
    status === 'pending'
      ? 'processing'
      : status === 'failed'
        ? 'requires_payment'
        : status === 'mismatched'
          ? 'mismatched'
          : 'completed';
  const whys: Record<string, string> = {
    pending: 'awaits_block',
    failed: 'awaits_payer',
    mismatched: 'awaits_rest',
    refunded: 'refunded',
  };
  const amount = amountOf(index);
  const created = {
    kind: 'intent_created',
    at: at(0),
    why: null,
    offers: [
      {
        flow: 'x402',
        scheme: 'exact',
        chain: 'eip155:8453',
        tokenShortcode: 'base_usdc',
        amount,
        payTo: WALLET,
        confirmations: 1,
      },
      {
        flow: 'regular',
        scheme: 'exact',
        chain: 'eip155:8453',
        tokenShortcode: 'base_eurc',
        amount,
        payTo: WALLET,
        confirmations: 1,
      },
    ],
  };
  const refused = { kind: 'attempt_refused', at: at(8_400), why: 'insufficient_funds', payer: PAYER };
  const signed = {
    kind: 'authorization_received',
    at: at(21_040),
    why: null,
    authorizationKind: 'eip3009',
    chain: 'eip155:8453',
    asset: USDC,
    payer: PAYER,
    recipient: WALLET,
    direct: true,
    cap: amount,
    charged: amount,
    released: '0',
    validUntil: at(300_000),
    closedAt: null,
  };
  const started = {
    kind: 'payment_started',
    at: at(21_060),
    why: status === 'failed' ? 'insufficient_funds' : status === 'mismatched' ? 'underpaid' : null,
    paymentId: idOf('payment', index),
    status,
    chain: 'eip155:8453',
    tokenShortcode: 'base_usdc',
    asset: USDC,
    payer: PAYER,
    amount,
    requestedAmount: amount,
    paidAmount: paidOf(index, status),
    paidTotal: null,
    refundDueAmount: null,
    transactionId: HASH,
    transactionSplitId: null,
    explorerUrl: EXPLORER,
    settlementStatus: 'completed',
    retryAt: null,
  };
  const batch = {
    kind: 'batch_joined',
    at: at(21_400),
    why: null,
    batchId: idOf('batch', 1),
    paymentId: idOf('payment', index),
    refundId: null,
    chain: 'eip155:8453',
    relayer: RELAYER,
    nonce: '1042',
    itemCount: 12,
    batchStatus: 'finalized',
  };
  const sent = (attempt: number, outcome: string, ms: number) => ({
    kind: 'transaction_sent',
    at: at(ms),
    why: outcome === 'superseded' ? 'superseded' : null,
    batchId: idOf('batch', 1),
    chain: 'eip155:8453',
    transactionId: HASH,
    explorerUrl: EXPLORER,
    attempt,
    outcome,
    blockNumber: outcome === 'final' ? '23811402' : null,
  });
  const entry = (account: string, sum: string, number: number) => ({
    id: idOf('ledgerEntry', number),
    account,
    party: account === 'payer' ? PAYER : WALLET,
    chain: 'eip155:8453',
    asset: USDC,
    amount: sum,
    transactionId: HASH,
    logIndex: number,
    reverses: null,
  });
  const fee = (BigInt(amount) / 100n).toString();
  const booked = {
    kind: 'booked',
    at: at(23_300),
    why: null,
    paymentId: idOf('payment', index),
    entries: [
      entry('payer', `-${amount}`, 1),
      entry('platform_fee', fee, 2),
      entry('merchant', (BigInt(amount) - BigInt(fee)).toString(), 3),
    ],
  };
  const written = {
    kind: 'event_written',
    at: at(23_310),
    why: null,
    eventId: EVENT,
    eventType: 'payment.completed',
    paymentId: idOf('payment', index),
    deliveries: [{ endpointId: ENDPOINT, status: 'succeeded', attemptCount: 2, nextAt: null, reason: null }],
  };
  const tried = (attempt: number, outcome: string, responseStatus: number, ms: number) => ({
    kind: 'delivery_tried',
    at: at(ms),
    why: null,
    eventId: EVENT,
    eventType: 'payment.completed',
    endpointId: ENDPOINT,
    attempt,
    outcome,
    responseStatus,
    totalMs: 84,
    nextAt: null,
  });
  const final = {
    kind: 'block_final',
    at: at(780_000),
    why: null,
    batchId: idOf('batch', 1),
    chain: 'eip155:8453',
    transactionId: HASH,
    explorerUrl: EXPLORER,
    blockNumber: '23811402',
  };
  const isPaid = status === 'completed' || status === 'refunded';
  const entries = [
    created,
    refused,
    ...(status === 'mismatched' ? [started] : [signed, started, batch, sent(1, 'superseded', 21_600)]),
    ...(status === 'pending' ? [sent(2, 'awaits_block', 22_300)] : []),
    ...(isPaid
      ? [
          sent(2, 'final', 22_300),
          booked,
          written,
          tried(1, 'refused', 500, 23_420),
          tried(2, 'succeeded', 200, 28_600),
          final,
        ]
      : []),
  ];
  return {
    paymentIntent: intent(index, intentStatus),
    why: whys[status] ?? 'paid_and_final',
    atRest: isPaid,
    asOf: iso(NOW),
    entries,
    truncated: false,
  };
}

/** An up-to intent that waits for its charge has an id of its own. */
export const UPTO_INTENT = idOf('paymentIntent', 50_000);
export const upto = () => ({
  ...timeline(idOf('paymentIntent', 0)),
  paymentIntent: { ...intent(1, 'requires_payment'), id: UPTO_INTENT },
  why: 'awaits_charge',
  atRest: false,
  entries: timeline(idOf('paymentIntent', 0))
    .entries.slice(0, 3)
    .map((entry) => (entry.kind === 'authorization_received' ? { ...entry, charged: null, released: null } : entry)),
});

export const intentIdAt = (index: number) => idOf('paymentIntent', index);
