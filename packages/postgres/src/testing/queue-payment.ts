// Queues a payment: creates an intent as the API does, and claims an authorization for it.
import { randomBytes } from 'node:crypto';
import { type Caller, claimKey, type PaymentClaim } from '@svc-pay/core';
import { type Id, newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { loadAcceptances } from '../intent/load-acceptances.ts';
import { claimPayment } from '../payment/claim-payment.ts';
import { createTestIntent } from './create-test-intent.ts';

export type QueuedPayment = {
  readonly paymentId: Id<'payment'>;
  readonly intentId: Id<'paymentIntent'>;
  readonly network: string;
};

export async function queuePayment(
  pool: pg.Pool,
  caller: Caller,
  change: Partial<Pick<PaymentClaim, 'kind' | 'nowMs' | 'byContract' | 'codeHash'>> & { readonly payer?: string } = {},
): Promise<QueuedPayment> {
  const intentId = await createTestIntent(pool, caller);
  const [acceptance] = await loadAcceptances(pool, caller, intentId);
  if (acceptance === undefined) throw new Error('nothing was offered');
  const payer = change.payer ?? `0x${randomBytes(20).toString('hex')}`;
  const nonce = `0x${randomBytes(32).toString('hex')}`;
  const nowMs = change.nowMs ?? Date.now();
  const paymentId = newId('payment', nowMs);
  const { network, token, payTo, amount } = acceptance;
  const claimed = await claimPayment(pool, {
    caller,
    intentId,
    paymentId,
    claimKey: claimKey({ network, asset: token.address, payer, uniquePart: nonce }),
    kind: change.kind ?? 'transfer_with_authorization',
    byContract: change.byContract ?? false,
    ...(change.codeHash !== undefined && { codeHash: change.codeHash }),
    acceptance,
    authorization: {
      from: payer,
      to: payTo,
      value: amount.toString(),
      validAfter: '1',
      validBefore: '4000000000',
      nonce,
    },
    signature: `0x${'1b'.repeat(65)}`,
    nowMs,
  });
  if (claimed.outcome !== 'claimed') throw new Error(claimed.outcome);
  return { paymentId, intentId, network };
}
