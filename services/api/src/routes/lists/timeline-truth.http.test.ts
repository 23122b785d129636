// What a timeline says about cancellation, rest and what it leaves out, over a real database with the rights of the API.
import { createMaintenanceStore } from '@svc-pay/postgres/settlement-service';
import { insertRow, insertRows } from '@svc-pay/postgres/testing';
import { newId } from '@svc-pay/protocol/ids';
import { describe, expect, test } from 'vitest';
import { call } from '../../testing/call.ts';
import { payFinally } from '../../testing/pay-finally.ts';
import { TRANSACTION } from '../../testing/play-settlement.ts';
import { ofKind, readTimeline } from '../../testing/read-timeline.ts';
import { startPayableApi } from '../../testing/start-payable-api.ts';

const api = await startPayableApi();
const { pool } = api.database;
const { accountId, keys } = api.account;
const key = keys.test.secret;
const tenant = { account_id: accountId, mode: 'test' };
const timelineOf = (intentId: string) => readTimeline(api, intentId);
const cancel = (id: string) => call(api, 'POST', `/sdk/payments/intents/${id}/cancel`, { key });

/** As the chain reader, a refund and the return of stranded money change the intent. */
const changeLater = (id: string) =>
  pool.query(
    "update svc.intents set version = version + 1, updated_at = expires_at + interval '1 hour' where id = $1",
    [id],
  );

describe('an intent that changes after it ended', () => {
  test('was canceled when its merchant canceled it', async () => {
    const { id } = await api.newIntent();
    await cancel(id);
    const before = ofKind(await timelineOf(id), 'intent_canceled');
    expect(before).toMatchObject([{ why: 'canceled' }]);
    await changeLater(id);
    const timeline = await timelineOf(id);
    expect(timeline).toMatchObject({ why: 'canceled', atRest: true });
    expect(ofKind(timeline, 'intent_canceled')).toEqual(before);
  });

  test('expired when it was found to be over', async () => {
    const { id } = await api.newIntent();
    await pool.query("update svc.intents set expires_at = now() - interval '2 hours' where id = $1", [id]);
    const expiredAt = Date.now() - 3_600_000;
    await createMaintenanceStore(pool).expireIntents(expiredAt, 100);
    await pool.query('update svc.intents set updated_at = now(), version = version + 1 where id = $1', [id]);
    const timeline = await timelineOf(id);
    expect(timeline).toMatchObject({ why: 'expired' });
    expect(ofKind(timeline, 'intent_canceled')).toMatchObject([
      { at: new Date(expiredAt).toISOString(), why: 'expired' },
    ]);
  });

  test('has no time and no expiry that nothing tells', async () => {
    const { id } = await api.newIntent();
    await cancel(id);
    // As one that was canceled before the time was stored.
    await pool.query('update svc.intents set canceled_at = null where id = $1', [id]);
    expect(ofKind(await timelineOf(id), 'intent_canceled')).toMatchObject([{ why: 'canceled' }]);
    await changeLater(id);
    const timeline = await timelineOf(id);
    expect(timeline).toMatchObject({ why: 'canceled' });
    expect(ofKind(timeline, 'intent_canceled')).toEqual([]);
    const at = new Date(Date.now() - 1_000);
    const event = { ...tenant, id: newId('event', Date.now()), intent_id: id, sequence: 2, created_at: at };
    await insertRow(pool, 'events', { ...event, type: 'payment_intent.canceled' });
    expect(ofKind(await timelineOf(id), 'intent_canceled')).toMatchObject([{ at: at.toISOString(), why: 'canceled' }]);
  });
});

const claimKey = (number: number) => Buffer.alloc(32, number);

function sign(intentId: string, number: number, createdAtMs: number) {
  return { ...tenant, intent_id: intentId, claim_key: claimKey(number), created_at: new Date(createdAtMs) };
}

async function strand(intentId: string, number: number, paymentId: string | null, action: string) {
  await pool.query(
    `insert into svc.stranded_transfers (account_id, mode, claim_key, intent_id, payment_id, network, action, status,
       stranded_transaction_id, stranded_log_index, created_at, updated_at)
     values ($1, 'test', $2, $3, $4, 'eip155:31337', $5, 'queued', $6, 0, now(), now())`,
    [accountId, claimKey(number), intentId, paymentId, action, TRANSACTION],
  );
}

describe('stranded money', () => {
  test('that goes back by itself keeps its intent from rest until it is blocked', async () => {
    const { id } = await api.newIntent();
    await cancel(id);
    expect(await timelineOf(id)).toMatchObject({ atRest: true });
    await insertRow(pool, 'authorizations', sign(id, 201, Date.now()));
    await strand(id, 201, newId('payment', Date.now()), 'return');
    expect(await timelineOf(id)).toMatchObject({ atRest: false });
    await pool.query("update svc.stranded_transfers set status = 'blocked' where claim_key = $1", [claimKey(201)]);
    expect(await timelineOf(id)).toMatchObject({ atRest: true });
  });

  test('that is held moves when its intent ended unpaid, and waits for the merchant beside a paid one', async () => {
    const { id } = await api.newIntent();
    await cancel(id);
    await insertRow(pool, 'authorizations', sign(id, 202, Date.now()));
    await strand(id, 202, null, 'hold');
    expect(await timelineOf(id)).toMatchObject({ atRest: false });
    const paid = await payFinally(api);
    await insertRow(pool, 'authorizations', sign(paid.intentId, 203, Date.now()));
    const before = await timelineOf(paid.intentId);
    await strand(paid.intentId, 203, null, 'hold');
    expect(await timelineOf(paid.intentId)).toMatchObject({ atRest: before.atRest });
    expect(before.atRest).toBe(true);
  });
});

describe('beyond the limit', () => {
  test('the newest authorizations are shown, and what is stranded of the others', async () => {
    const { id } = await api.newIntent();
    const now = Date.now();
    // The newest has the greatest key, the last in the order of the table.
    const numbers = Array.from({ length: 55 }, (_, index) => index + 1);
    await insertRows(
      pool,
      'authorizations',
      numbers.map((number) => ({ ...sign(id, number, now + number), payer: `0x${number}` })),
    );
    await strand(id, 1, null, 'hold');
    const timeline = await timelineOf(id);
    expect(timeline.truncated).toBe(true);
    expect(ofKind(timeline, 'authorization_received').map(({ payer }) => payer)).toEqual(
      numbers.slice(-50).map((number) => `0x${number}`),
    );
    expect(ofKind(timeline, 'money_stranded')).toMatchObject([{ action: 'hold', status: 'queued' }]);
  });

  test('the newest delivery attempts are shown, whatever their endpoint', async () => {
    const { id } = await api.newIntent();
    const { rows } = await pool.query<{ id: string }>('select id from svc.events where intent_id = $1', [id]);
    const now = Date.now();
    for (const [index, endpoint] of ['we_a', 'we_b'].entries()) {
      const delivery = { ...tenant, event_id: rows[0]?.id, endpoint_id: endpoint };
      await insertRow(pool, 'deliveries', delivery);
      await insertRows(
        pool,
        'delivery_attempts',
        Array.from({ length: 300 }, (_, attempt) => ({
          ...delivery,
          attempt: attempt + 1,
          started_at: new Date(now + attempt * 10 + index),
        })),
      );
    }
    const timeline = await timelineOf(id);
    expect(timeline.truncated).toBe(true);
    const shown = ofKind(timeline, 'delivery_tried');
    expect(shown.map(({ endpointId, attempt }) => `${endpointId} ${attempt}`)).toEqual(
      Array.from({ length: 250 }, (_, index) => [`we_a ${index + 51}`, `we_b ${index + 51}`]).flat(),
    );
  });
});
