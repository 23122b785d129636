// One object of every kind that an id can name.
import type { Mode } from '@svc-pay/core';
import { insertRow } from '@svc-pay/postgres/testing';
import { type IdKind, newId } from '@svc-pay/protocol/ids';
import { CREATE, call, ENDPOINTS } from './call.ts';
import type { Ids } from './fill-request.ts';
import type { SeededAccount } from './seed-account.ts';
import type { TestApi } from './start-test-api.ts';

const anId = (kind: IdKind) => newId(kind, Date.now());

/** Ids that nobody has. */
export const nobodysIds = (): Ids => ({
  intentId: anId('paymentIntent'),
  endpointId: anId('endpoint'),
  eventId: anId('event'),
  paymentId: anId('payment'),
  recoveryId: anId('replay'),
  refundId: anId('refund'),
});

export async function ownObjects(api: TestApi, { accountId, keys }: SeededAccount, mode: Mode): Promise<Ids> {
  const { pool } = api.database;
  const intent = await call(api, 'POST', CREATE, { key: keys[mode].publishable, body: { usdAmount: 7 } });
  const endpoint = await call(api, 'POST', ENDPOINTS, {
    key: keys[mode].secret,
    body: { url: 'https://shop.example/hooks', eventTypes: ['payment_intent.created'] },
  });
  const ids: Ids = {
    ...nobodysIds(),
    intentId: intent.json().paymentIntentId as string,
    endpointId: endpoint.json().endpoint.id as string,
  };
  const tenant = { account_id: accountId, mode };
  await insertRow(pool, 'payments', { ...tenant, id: ids.paymentId, intent_id: ids.intentId });
  await pool.query(
    `insert into svc.refunds (account_id, mode, id, payment_id, intent_id, intent_code, kind, status, sequence, network, asset,
       token_shortcode, amount, wallet, recipient, nonce, created_at, expires_at, updated_at)
     values ($1, $2, $3, $4, $5, 1, 'authorization', 'prepared', 1, 'eip155:31337', '0x01', 'anvil_usdc', 1, '0x02', '0x03',
       decode(repeat('07', 32), 'hex'), now(), now() + interval '1 hour', now())`,
    [accountId, mode, ids.refundId, ids.paymentId, ids.intentId],
  );
  await insertRow(pool, 'events', {
    ...tenant,
    id: ids.eventId,
    intent_id: ids.intentId,
    payment_id: ids.paymentId,
    body: Buffer.from(JSON.stringify({ id: ids.eventId })),
  });
  await insertRow(pool, 'deliveries', { ...tenant, event_id: ids.eventId, endpoint_id: ids.endpointId });
  await insertRow(pool, 'event_replays', { ...tenant, id: ids.recoveryId, endpoint_id: ids.endpointId });
  return ids;
}
