// What the API would have done before a lane hears of a payment: the intent with its first event, then the claim, each in
// one transaction.
import { draftEvents, eventsFor, type Intent, type LaneItem, type StoredPayment } from '@svc-pay/core';
import type { Tables } from '@svc-pay/core/testing';
import { writeEvents } from '@svc-pay/core/testing';
import { atomicAmount, usd } from '@svc-pay/money';
import type { NetworkId } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import { FEE_BPS, MERCHANT, PROCESSOR, TOKEN } from '../chain/processor.ts';

export type Buyer = {
  readonly payer: string;
  /** Only what a payer with the money signed in time must complete. */
  readonly isSound: boolean;
  readonly capAtomic: bigint;
  readonly settledAtomic: bigint;
  readonly validForSeconds: number;
  readonly confirmations: number;
};

const HOUR_MS = 3_600_000;
const accountId = newId('account', 0, () => new Uint8Array(10));
export const ACCOUNT = { accountId, mode: 'test' as const };

/** Answers the item that a lane will find. */
export function queuePayment(tables: Tables, network: NetworkId, buyer: Buyer, nowMs: number): LaneItem {
  const number = BigInt(tables.settlements.size + 1);
  const intent = intentOf(network, buyer, Number(number), nowMs);
  const caused = eventsFor(undefined, { intent, payment: null });
  const origin = { requestId: 'req_simulated', idempotencyKey: null };
  const events = draftEvents(caused, { intent, payment: null }, origin, nowMs, 0);
  writeEvents(tables, events, ACCOUNT);
  const payment = paymentOf(network, buyer, Number(number), nowMs);
  const item: LaneItem = {
    ...ACCOUNT,
    paymentId: payment.id,
    intentId: intent.id,
    intentCode: BigInt(intent.intentCode),
    number,
    asset: TOKEN,
    processor: PROCESSOR,
    kind: 'transfer_with_authorization',
    byContract: false,
    payer: buyer.payer,
    capAtomic: buyer.capAtomic,
    settledAtomic: buyer.settledAtomic,
    validAfterSeconds: 0n,
    validBeforeSeconds: BigInt(Math.floor(nowMs / 1_000) + buyer.validForSeconds),
    nonce: `0x${number.toString(16).padStart(64, '0')}`,
    signature: `0x${'1b'.repeat(65)}`,
    payout: { id: 1n, merchant: MERCHANT, feeBps: FEE_BPS, splits: [] },
    confirmations: buyer.confirmations,
  };
  tables.intents.set(intent.id, {
    intent: { ...intent, status: 'processing' },
    paymentId: payment.id,
    version: 2,
    eventSequence: events.length,
  });
  tables.payments.set(payment.id, payment);
  tables.settlements.set(payment.id, {
    item,
    network,
    createdAtMs: nowMs,
    status: 'queued',
    relayer: null,
    batchId: null,
    batchLimit: null,
    retryAtMs: null,
    revertedBatches: [],
  });
  return item;
}

function intentOf(network: NetworkId, { capAtomic, confirmations }: Buyer, code: number, nowMs: number): Intent {
  return {
    id: newId('paymentIntent', nowMs),
    ...ACCOUNT,
    intentCode: code,
    status: 'requires_payment',
    upto: false,
    amount: atomicAmount(capAtomic),
    tokenShortcode: 'basesepolia_usdc',
    network,
    ledgerId: TOKEN,
    amountUsd: usd(1_500_000_000_000_000_000n),
    description: null,
    resource: null,
    mimeType: null,
    expectedSender: null,
    payerPublicKey: null,
    metadata: {},
    serviceMetadata: {},
    createdAtMs: nowMs,
    expiresAtMs: nowMs + HOUR_MS,
    confirmedPayer: null,
    confirmations,
  };
}

function paymentOf(network: NetworkId, { payer, capAtomic }: Buyer, number: number, nowMs: number): StoredPayment {
  return {
    id: newId('payment', nowMs),
    status: 'pending',
    network,
    tokenSymbol: 'USDC',
    asset: TOKEN,
    payer,
    amount: atomicAmount(capAtomic),
    requestedAmount: atomicAmount(capAtomic),
    paidAmount: null,
    transactionId: null,
    transactionSplitId: null,
    settlementNumber: number,
    createdAtMs: nowMs,
    completedAtMs: null,
    announced: false,
  };
}
