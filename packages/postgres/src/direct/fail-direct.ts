// Fails direct payments that no log ends. Core decides again under the locks of the rows.
import {
  type AuthorizationState,
  decideDirectFailure,
  type ExpiryFacts,
  type OpenDirect,
  SETTLEMENT_STATUS,
} from '@svc-pay/core';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import { type Id, newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';
import { failPayments } from '../payment/payment-results.ts';
import { closeRefused } from '../payment/refused-authorizations.ts';
import { writePaymentResults } from '../payment/write-payment-results.ts';
import { lockPayment } from '../reader/lock-for-apply.ts';
import { loadClaimedPayments } from '../stranded/claimed-payments.ts';
import { closeAuthorizations } from '../stranded/watched-authorizations.ts';

type Now = {
  readonly status: ExpiryFacts['settlement'];
  readonly refusal: ErrorCode | null;
  readonly held_for_merchant: boolean;
  readonly unapplied: boolean;
};

const READ_NOW = {
  name: 'read-direct-now',
  text: `
    select status, refusal, held_for_merchant, exists (
        select from svc.read_logs log
        where log.network = s.network and log.event in ('authorization_used', 'authorization_canceled')
          and log.log ->> 'nonce' = $4 and log.address = lower(s.asset) and log.log ->> 'payer' = $5
      ) as unapplied
    from svc.settlements s where account_id = $1 and mode = $2 and payment_id = $3`,
};

export async function failExpired(
  pool: pg.Pool,
  payment: OpenDirect,
  facts: { readonly state: AuthorizationState; readonly readUntilSeconds: bigint | undefined },
  nowMs: number,
): Promise<ErrorCode | undefined> {
  return fail(pool, payment, nowMs, ({ status, refusal, unapplied }) =>
    decideDirectFailure({
      ...facts,
      settlement: status,
      validBeforeSeconds: payment.validBeforeSeconds,
      hasUnappliedLog: unapplied,
      refusal,
    }),
  );
}

export async function failUsed(pool: pg.Pool, payment: OpenDirect, nowMs: number): Promise<boolean> {
  const code = await fail(pool, payment, nowMs, ({ status, unapplied }) =>
    status === SETTLEMENT_STATUS.held && !unapplied ? 'authorization_already_used' : undefined,
  );
  return code !== undefined;
}

async function fail(
  pool: pg.Pool,
  payment: OpenDirect,
  nowMs: number,
  decide: (now: Now) => ErrorCode | undefined,
): Promise<ErrorCode | undefined> {
  const { paymentId, nonce, payer } = payment;
  const owner = {
    accountId: payment.accountId as Id<'account'>,
    mode: payment.mode as 'test' | 'live',
    intentId: payment.intentId as Id<'paymentIntent'>,
  };
  return inTransaction(pool, async (client) => {
    if (paymentId === null || (await lockPayment(client, owner, paymentId)) === undefined) return undefined;
    const values = [owner.accountId, owner.mode, paymentId, nonce, payer];
    const [now] = (await client.query<Now>({ ...READ_NOW, values })).rows;
    const code = now === undefined || now.held_for_merchant ? undefined : decide(now);
    const item = (await loadClaimedPayments(client, [{ ...owner, paymentId }])).get(paymentId)?.item;
    if (now === undefined || code === undefined || item === undefined) return undefined;
    const origin = { requestId: newId('batch', nowMs), nowMs };
    await writePaymentResults(client, await failPayments(client, [{ item, code }], null, origin), now.status, nowMs);
    await closeAuthorizations(client, [payment], nowMs);
    await closeRefused(client, [payment.claimKey], nowMs);
    return code;
  });
}
