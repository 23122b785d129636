// A refund as shown on the wire.
import { chainTypeOf } from '@svc-pay/protocol';
import { ERRORS } from '@svc-pay/protocol/errors';
import type { Refund as WireRefund } from '@svc-pay/protocol/merchant';
import { caip2NameOf } from '@svc-pay/protocol/x402';
import { isoTime } from '../clock.ts';
import { explorerUrlOf } from '../token/explorer.ts';
import { findToken } from '../token/find-token.ts';
import type { StoredRefund } from './refund.ts';

const timeOr = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));

export function refundView(refund: StoredRefund): WireRefund {
  const { network, tokenShortcode, failureCode, transactionId, reported } = refund;
  const shown = transactionId ?? reported?.transactionId ?? null;
  return {
    id: refund.id,
    object: 'refund',
    paymentId: refund.paymentId,
    paymentIntentId: refund.intentId,
    status: refund.status,
    amount: refund.amountAtomic?.toString() ?? null,
    token: findToken(tokenShortcode)?.symbol ?? tokenShortcode,
    tokenShortcode,
    network: chainTypeOf(network),
    chain: caip2NameOf(network),
    from: refund.wallet,
    to: refund.recipient,
    transactionId: shown,
    explorerUrl: explorerUrlOf(network, shown),
    failureCode,
    failureMessage: failureCode === null ? null : ERRORS[failureCode].message,
    reason: refund.reason,
    createdAt: isoTime(refund.createdAtMs),
    expiresAt: timeOr(refund.expiresAtMs),
    completedAt: timeOr(refund.completedAtMs),
  };
}
