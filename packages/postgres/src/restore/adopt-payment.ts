// Adopts a payment whose intent was lost with the database. The chain gives intent
// code, payer, token, amounts and payout, and the payout gives the account: from
// these a stand-in intent is written. The merchant's own fields are lost.
import { draftEvents, eventsFor, type Intent, type Mode, TOKENS } from '@svc-pay/core';
import { atomicAmount } from '@svc-pay/money';
import { UPTO_CAP_METADATA_KEY } from '@svc-pay/protocol';
import { type Id, newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { writeEvents } from '../payment/write-payment-results.ts';
import type { PaymentToRestore } from './payment-to-restore.ts';
import { STAND_IN_KEY } from './stored-payment-state.ts';
import { insertIntent, writePending } from './write-pending-payment.ts';

type Owner = { readonly accountId: Id<'account'>; readonly mode: Mode };

/** Undefined when the payout or the token is unknown, or the intent code is not one of ours. */
export async function adoptPayment(
  client: pg.ClientBase,
  given: PaymentToRestore,
): Promise<{ readonly intentId: string; readonly accountId: string } | undefined> {
  const { carried, lease, batchId, nowMs } = given;
  const { rows } = await client.query<Owner>(
    `select account_id as "accountId", mode from svc.payouts
     where network = $1 and processor = $2 and payout_id = $3`,
    [lease.network, carried.processor, carried.payoutId.toString()],
  );
  const [owner] = rows;
  const token = TOKENS.find(
    (known) => known.network === lease.network && known.address.toLowerCase() === carried.asset,
  );
  if (owner === undefined || token === undefined || carried.intentCode >= 2n ** 53n) return undefined;
  // Only an up-to payment settles less than its cap. A payment that settled all of it may have either scheme.
  const upto = carried.settledAtomic < carried.capAtomic;
  const intent: Intent = {
    ...owner,
    id: newId('paymentIntent', nowMs),
    intentCode: Number(carried.intentCode),
    status: 'requires_payment',
    upto,
    amount: atomicAmount(carried.capAtomic),
    tokenShortcode: token.shortcode,
    network: lease.network,
    ledgerId: token.address,
    amountUsd: null,
    description: null,
    resource: null,
    mimeType: null,
    expectedSender: null,
    payerPublicKey: null,
    metadata: {},
    serviceMetadata: {
      [STAND_IN_KEY]: true,
      ...(upto && { [UPTO_CAP_METADATA_KEY]: carried.capAtomic.toString() }),
    },
    createdAtMs: nowMs,
    expiresAtMs: Number(carried.validBeforeSeconds) * 1_000,
    confirmedPayer: upto ? carried.payer : null,
    confirmations: 1,
  };
  const born = { intent, payment: null };
  const events = draftEvents(eventsFor(undefined, born), born, { requestId: batchId, idempotencyKey: null }, nowMs, 0);
  await insertIntent(client, intent);
  await writePending(client, {
    carried: { ...carried, asset: token.address },
    intent,
    confirmations: intent.confirmations,
    tokenShortcode: token.shortcode,
    lease,
    batchId,
    nowMs,
    eventCount: events.length,
  });
  await writeEvents(
    client,
    events.map((event) => ({ event, owner })),
  );
  return { intentId: intent.id, accountId: owner.accountId };
}
