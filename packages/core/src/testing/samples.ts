// An intent, a payment and a chain family that tests change for their case.
import { atomicAmount, usd } from '@svc-pay/money';
import { evmNetwork, UPTO_CAP_METADATA_KEY } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import type { Intent } from '../intent/intent.ts';
import type { StoredPayment } from '../payment/payment.ts';

export { sampleFamily } from './sample-family.ts';

const BORN_MS = 1_700_000_000_000;

export function sampleIntent(change: Partial<Intent> = {}): Intent {
  return {
    id: newId('paymentIntent', BORN_MS),
    accountId: newId('account', BORN_MS),
    mode: 'test',
    intentCode: 4_242,
    status: 'requires_payment',
    upto: false,
    amount: atomicAmount(1_500_000n),
    tokenShortcode: 'basesepolia_usdc',
    network: evmNetwork(84_532),
    ledgerId: `0x${'70'.repeat(20)}`,
    amountUsd: usd(1_500_000_000_000_000_000n),
    description: null,
    resource: null,
    mimeType: null,
    expectedSender: null,
    payerPublicKey: null,
    metadata: { order: 'A-7' },
    serviceMetadata: {},
    createdAtMs: BORN_MS,
    expiresAtMs: BORN_MS + 86_400_000,
    confirmedPayer: null,
    confirmations: 1,
    createdWith: 'secret',
    tokens: ['basesepolia_usdc'],
    ...change,
  };
}

export function confirmed(intent: Intent): Intent {
  return {
    ...intent,
    upto: true,
    confirmedPayer: `0x${'aa'.repeat(20)}`,
    serviceMetadata: { ...intent.serviceMetadata, [UPTO_CAP_METADATA_KEY]: intent.amount.toString() },
  };
}

export function samplePayment(change: Partial<StoredPayment> = {}): StoredPayment {
  return {
    id: newId('payment', BORN_MS),
    status: 'pending',
    network: evmNetwork(84_532),
    tokenSymbol: 'USDC',
    tokenShortcode: 'basesepolia_usdc',
    usdPerToken: usd(1_000_000_000_000_000_000n),
    asset: `0x${'70'.repeat(20)}`,
    payer: `0x${'aa'.repeat(20)}`,
    amount: atomicAmount(1_500_000n),
    requestedAmount: atomicAmount(1_500_000n),
    paidAmount: null,
    feeAmount: null,
    splits: null,
    returnedAmount: null,
    refundedAmount: null,
    paidTotal: null,
    refundDueAmount: null,
    failureCode: null,
    transactionId: null,
    transactionSplitId: null,
    settlementNumber: 1,
    createdAtMs: BORN_MS,
    completedAtMs: null,
    announced: false,
    ...change,
  };
}
