// Creates an up-to intent as the API does, and confirms an authorization for it.
import { randomBytes } from 'node:crypto';
import { type Caller, type Confirmation, claimKey } from '@svc-pay/core';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { loadAcceptances } from '../intent/load-acceptances.ts';
import { createTestIntent } from './create-test-intent.ts';

export const randomNonce = (): string => `0x${randomBytes(32).toString('hex')}`;

type Wish = { readonly nonce?: string; readonly validBeforeSeconds?: number; readonly nowMs?: number };

export async function uptoIntent(pool: pg.Pool, caller: Caller): Promise<Id<'paymentIntent'>> {
  return createTestIntent(pool, caller, { usdAmount: '1.5', x402Upto: true });
}

export async function confirmationFor(
  pool: pg.Pool,
  caller: Caller,
  intentId: Id<'paymentIntent'>,
  wish: Wish = {},
): Promise<Confirmation> {
  const [acceptance] = await loadAcceptances(pool, caller, intentId);
  if (acceptance === undefined) throw new Error('nothing was offered');
  const { network, token, payTo, amount } = acceptance;
  const nowMs = wish.nowMs ?? Date.now();
  const [payer, nonce] = [`0x${'aa'.repeat(20)}`, wish.nonce ?? randomNonce()];
  return {
    caller,
    intentId,
    claimKey: claimKey({ network, asset: token.address, payer, uniquePart: nonce }),
    kind: 'transfer_with_authorization',
    byContract: false,
    acceptance,
    authorization: {
      from: payer,
      to: payTo,
      value: amount.toString(),
      validAfter: '1',
      validBefore: String(wish.validBeforeSeconds ?? Math.floor(nowMs / 1_000) + 3_600),
      nonce,
    },
    signature: `0x${'1b'.repeat(65)}`,
    origin: { requestId: 'req_test', idempotencyKey: null },
    nowMs,
  };
}
