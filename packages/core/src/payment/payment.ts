// A payment as stored, and as shown on the wire.
import { type AtomicAmount, printUsd, subtractAtomic, type Usd } from '@svc-pay/money';
import { chainTypeOf, type NetworkId, type PaymentStatus, type Payment as WirePayment } from '@svc-pay/protocol';
import { ERRORS, isErrorCode } from '@svc-pay/protocol/errors';
import type { Id } from '@svc-pay/protocol/ids';
import { caip2NameOf } from '@svc-pay/protocol/x402';
import type { KeyKind } from '../account/api-key.ts';
import { isoTime } from '../clock.ts';
import { type Intent, shownMetadata } from '../intent/intent.ts';
import { readBlockName } from '../token/block-name.ts';
import { dollarValue, rateOr } from '../token/dollar-value.ts';
import { explorerUrlOf } from '../token/explorer.ts';
import { findToken } from '../token/find-token.ts';

export type PaidSplit = { readonly recipient: string; readonly amount: AtomicAmount };

export type StoredPayment = {
  readonly id: Id<'payment'>;
  readonly status: PaymentStatus;
  readonly network: NetworkId;
  readonly tokenSymbol: string;
  readonly tokenShortcode: string;
  /** Rate of the acceptance that is paid; null where none was stored. */
  readonly usdPerToken: Usd | null;
  readonly asset: string;
  readonly payer: string | null;
  readonly amount: AtomicAmount;
  readonly requestedAmount: AtomicAmount | null;
  readonly paidAmount: AtomicAmount | null;
  /** This payment and the parts before it; null where it is alone and pays the asked amount. */
  readonly paidTotal: AtomicAmount | null;
  /** What the merchant's policy gives back of it; null for nothing. */
  readonly refundDueAmount: AtomicAmount | null;
  /** Fee, splits and what went back to the payer in the same transaction; null until the money was moved. */
  readonly feeAmount: AtomicAmount | null;
  readonly splits: readonly PaidSplit[] | null;
  readonly returnedAmount: AtomicAmount | null;
  /** Sum of the completed refunds; null while there is none. */
  readonly refundedAmount: AtomicAmount | null;
  readonly failureCode: string | null;
  readonly transactionId: string | null;
  readonly transactionSplitId: string | null;
  readonly settlementNumber: number | null;
  readonly createdAtMs: number;
  readonly completedAtMs: number | null;
  /** Whether `payment.created` was emitted for the payment. */
  readonly announced: boolean;
};

/** `viewer` is the kind of key that is answered. */
export function paymentView(payment: StoredPayment, intent: Intent, viewer: KeyKind): WirePayment {
  const block = payment.transactionId === null ? undefined : readBlockName(payment.transactionId);
  const { settlementNumber } = payment;
  return {
    id: payment.id,
    accountId: intent.accountId,
    paymentIntentId: intent.id,
    transactionId: payment.transactionId,
    transactionSplitId: payment.transactionSplitId,
    // Of a transfer on a token ledger both are the index of its block.
    canisterTxId: (block?.index ?? settlementNumber)?.toString() ?? null,
    status: payment.status,
    amount: payment.amount.toString(),
    ledgerCanisterId: payment.asset,
    ledgerTxId: block?.index.toString() ?? payment.transactionId,
    accountCanisterId: null,
    basePaymentAccountId: null,
    invoiceId: null,
    metadata: shownMetadata(intent, viewer),
    requestedAmount: payment.requestedAmount?.toString() ?? null,
    paidAmount: payment.paidAmount?.toString() ?? null,
    createdAt: isoTime(payment.createdAtMs),
    ...(payment.completedAtMs !== null && { completedAt: isoTime(payment.completedAtMs) }),
    network: chainTypeOf(payment.network),
    token: payment.tokenSymbol,
    ...additionsOf(payment, viewer),
    intent: intentOfPayment(intent, viewer),
  };
}

type Additions = Pick<
  WirePayment,
  'payer' | 'chain' | 'tokenShortcode' | 'decimals' | 'amountUsd' | 'rate' | 'returnedAmount' | 'explorerUrl'
> &
  Pick<WirePayment, 'feeAmount' | 'splits' | 'netAmount' | 'refundedAmount' | 'failureCode' | 'failureMessage'> &
  Pick<WirePayment, 'paidTotal' | 'refundDueAmount'>;

/** What the merchant earns is the merchant's own: a publishable key does not see it. */
function additionsOf(payment: StoredPayment, viewer: KeyKind): Additions {
  const { network, tokenShortcode, failureCode } = payment;
  const token = findToken(tokenShortcode);
  const rate = rateOr(payment.usdPerToken, tokenShortcode);
  const worth = token === undefined || rate === null ? null : dollarValue(token.unit, payment.amount, rate);
  return {
    payer: payment.payer,
    chain: caip2NameOf(network),
    tokenShortcode,
    decimals: token?.unit.decimals ?? null,
    amountUsd: worth === null ? null : printUsd(worth),
    rate: rate === null ? null : printUsd(rate),
    ...(viewer === 'secret' && earningsOf(payment)),
    returnedAmount: payment.returnedAmount?.toString() ?? (paidNobody(payment) ? '0' : null),
    refundedAmount: (payment.refundedAmount ?? (hasResult(payment) ? 0n : null))?.toString() ?? null,
    paidTotal: payment.paidTotal?.toString() ?? null,
    refundDueAmount: payment.refundDueAmount?.toString() ?? null,
    failureCode,
    failureMessage: failureCode !== null && isErrorCode(failureCode) ? ERRORS[failureCode].message : null,
    explorerUrl: explorerUrlOf(network, payment.transactionId),
  };
}

function earningsOf(payment: StoredPayment): Pick<WirePayment, 'feeAmount' | 'splits' | 'netAmount'> {
  if (paidNobody(payment)) return { feeAmount: '0', splits: [], netAmount: '0' };
  const { paidAmount, feeAmount, splits } = payment;
  const net =
    paidAmount === null || feeAmount === null || splits === null
      ? null
      : splits.reduce((rest, { amount }) => subtractAtomic(rest, amount), subtractAtomic(paidAmount, feeAmount));
  return {
    feeAmount: feeAmount?.toString() ?? null,
    splits: splits?.map(({ recipient, amount }) => ({ recipient, amount: amount.toString() })) ?? null,
    netAmount: net?.toString() ?? null,
  };
}

/** It paid nobody. Its money may have been moved without us, and goes back in a transaction of its own: see the ledger. */
const paidNobody = ({ status }: StoredPayment): boolean => status === 'failed' || status === 'canceled';

const hasResult = (payment: StoredPayment): boolean => payment.paidAmount !== null || paidNobody(payment);

/** The merchant's data to find the order. The status is left out: intents have events of their own. */
function intentOfPayment(intent: Intent, viewer: KeyKind): WirePayment['intent'] {
  return {
    id: intent.id,
    intentCode: intent.intentCode,
    amount: intent.amount.toString(),
    ledgerCanisterId: intent.ledgerId,
    description: intent.description,
    expectedSenderPrincipal: intent.expectedSender,
    metadata: shownMetadata(intent, viewer),
    createdAt: isoTime(intent.createdAtMs),
  };
}
