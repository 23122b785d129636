import { insertRow, insertRows } from '@svc-pay/postgres/testing';
import { EVENT_TYPES, webhookEvent } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import { deliveryList, eventDetail, eventList, recoveryResponse } from '@svc-pay/protocol/merchant';
import { expect, test } from 'vitest';
import { CREATE, call, ENDPOINTS, EVENTS } from '../../testing/call.ts';
import { startTestApi } from '../../testing/start-test-api.ts';

const clock = { atMs: Date.now(), nowMs: () => clock.atMs };
const api = await startTestApi({}, clock);
const { pool } = api.database;
const { accountId, keys } = api.account;
const key = keys.test.secret;
const tenant = { account_id: accountId, mode: 'test' };
const get = async (path: string, as: string = key) => (await call(api, 'GET', path, { key: as })).json();
const post = (path: string, body?: object, as: string = key) =>
  call(api, 'POST', path, { key: as, ...(body && { body }) });
const newEndpoint = async (eventTypes: readonly string[] = ['payment.refunded']): Promise<string> =>
  (await post(ENDPOINTS, { url: 'https://shop.example/hooks', eventTypes })).json().endpoint.id;

async function emit(change: Record<string, unknown> = {}): Promise<string> {
  clock.atMs += 1;
  const id = newId('event', clock.atMs);
  const row = { ...tenant, id, created_at: new Date(clock.atMs), body: Buffer.from(JSON.stringify({ id })), ...change };
  await insertRow(pool, 'events', row);
  return id;
}
const deliver = (eventId: string, endpointId: string, change: Record<string, unknown> = {}) =>
  insertRow(pool, 'deliveries', { ...tenant, event_id: eventId, endpoint_id: endpointId, ...change });
const ENDED = { next_at: null, finished_at: new Date(), attempt_count: 3 };
const FAILED = { ...ENDED, status: 'failed', reason: 'retries_exhausted' };
const SUCCEEDED = { ...ENDED, status: 'succeeded' };
const idsOf = (page: { data: { id: string }[] }) => page.data.map(({ id }) => id);
const deliveryRow = async (eventId: string, endpointId: string) =>
  (await pool.query('select * from svc.deliveries where event_id = $1 and endpoint_id = $2', [eventId, endpointId]))
    .rows[0];

test('an event of an intent is listed with the envelope that is sent', async () => {
  const endpointId = await newEndpoint(['payment_intent.created']);
  const created = await post(CREATE, { usdAmount: 1 });
  const intentId = created.json().paymentIntentId;
  const page = await get(`${EVENTS}?intentId=${intentId}`);
  expect(eventList.parse(page)).toEqual(page);
  expect(page.data).toMatchObject([
    { type: 'payment_intent.created', paymentIntentId: intentId, paymentId: null, sequence: 1, pendingWebhooks: 1 },
  ]);
  expect(webhookEvent.parse(page.data[0].event)).toEqual(page.data[0].event);
  await call(api, 'DELETE', `${ENDPOINTS}/${endpointId}`, { key });
});

test('events are found by type, intent, payment, time and whether they arrived; filters add up', async () => {
  const endpointId = await newEndpoint();
  const [intentId, paymentId] = [newId('paymentIntent', clock.atMs), newId('payment', clock.atMs)];
  const startMs = clock.atMs + 1;
  const own = { intent_id: intentId };
  await insertRow(pool, 'payments', { ...tenant, ...own, id: paymentId });
  const one = await emit({ ...own, sequence: 1 });
  const two = await emit({ ...own, sequence: 2, payment_id: paymentId, type: 'payment.created' });
  const three = await emit({ ...own, sequence: 3, payment_id: paymentId, type: 'payment.created' });
  const four = await emit({ type: 'payment.failed' });
  await deliver(one, endpointId, SUCCEEDED);
  await deliver(two, endpointId, FAILED);
  await deliver(three, endpointId);
  await deliver(four, endpointId, { ...FAILED, status: 'discarded' });
  const since = `createdAfter=${new Date(startMs).toISOString()}`;
  const find = async (query: string) => idsOf(await get(`${EVENTS}?${since}&${query}`));
  expect(await find('')).toEqual([four, three, two, one]);
  expect(await find('type=payment.created')).toEqual([three, two]);
  expect(await find(`intentId=${intentId}`)).toEqual([three, two, one]);
  expect(await find(`paymentId=${paymentId}`)).toEqual([three, two]);
  expect(await find(`intentId=${intentId}&paymentId=${paymentId}`)).toEqual([three, two]);
  expect(await find(`intentId=${newId('paymentIntent', clock.atMs)}&paymentId=${paymentId}`)).toEqual([]);
  expect(await find('undelivered=true')).toEqual([three, two]);
  expect(await find('undelivered=true&type=payment.failed')).toEqual([]);
  expect(await find(`undelivered=true&intentId=${intentId}`)).toEqual([three, two]);
  expect(await find(`createdBefore=${new Date(startMs + 2).toISOString()}`)).toEqual([two, one]);
  expect(await find(`startingAfter=${three}&limit=1`)).toEqual([two]);
  expect(await find('intentId=%00')).toEqual([]);
  expect(idsOf(await get(`${EVENTS}?${since}`, keys.live.secret))).toEqual([]);
});

test('walking the pages meets every event once, while others are added', async () => {
  const made: string[] = [];
  const startMs = clock.atMs + 1;
  for (let count = 0; count < 7; count += 1) made.unshift(await emit());
  const seen: string[] = [];
  let query = `createdAfter=${new Date(startMs).toISOString()}&limit=2`;
  for (;;) {
    const page = await get(`${EVENTS}?${query}`);
    seen.push(...idsOf(page));
    if (!page.hasMore) break;
    await emit();
    query = `createdAfter=${new Date(startMs).toISOString()}&limit=2&startingAfter=${seen.at(-1)}`;
  }
  expect(seen).toEqual(made);
});

test.each([
  'limit=101',
  'createdAfter=yesterday',
  'type=payment.canceled',
  'undelivered=1',
  'startingAfter=pi_x',
  'x=1',
])('events?%s is refused by the name of what is wrong', async (query) => {
  expect(await get(`${EVENTS}?${query}`)).toMatchObject({ error: 'malformed_request', param: query.split('=')[0] });
});

test('an event shows each delivery with every attempt', async () => {
  const endpointId = await newEndpoint();
  const id = await emit();
  await deliver(id, endpointId, { ...FAILED, attempt_count: 2 });
  const attempt = { ...tenant, event_id: id, endpoint_id: endpointId, outcome: 'refused', request_headers: {} };
  await insertRows(pool, 'delivery_attempts', [
    { ...attempt, attempt: 1, response_excerpt: Buffer.from([0x6e, 0x6f, 0xff]), next_at: new Date(clock.atMs) },
    { ...attempt, attempt: 2, request_headers: { 'x-svc-signature': 't=1,v1=***' } },
  ]);
  const event = await get(`${EVENTS}/${id}`);
  expect(eventDetail.parse(event)).toEqual(event);
  expect(event.deliveries).toMatchObject([
    { endpointId, status: 'failed', attempts: [{ attempt: 1, responseExcerpt: 'no�' }, { attempt: 2 }] },
  ]);
  const page = await get(`${ENDPOINTS}/${endpointId}/deliveries?status=failed`);
  expect(deliveryList.parse(page)).toEqual(page);
  expect(page.data).toMatchObject([{ eventId: id, status: 'failed', attemptCount: 2 }]);
  expect((await get(`${ENDPOINTS}/${endpointId}/deliveries?status=pending`)).data).toEqual([]);
});

test('deliveries of an endpoint come by their events, newest first, whatever their status', async () => {
  const endpointId = await newEndpoint();
  const made: string[] = [];
  for (const change of [SUCCEEDED, FAILED, {}, SUCCEEDED, FAILED]) {
    const id = await emit();
    made.unshift(id);
    await deliver(id, endpointId, change);
  }
  const list = async (query: string) => get(`${ENDPOINTS}/${endpointId}/deliveries?${query}`);
  const eventsOf = (page: { data: { eventId: string }[] }) => page.data.map(({ eventId }) => eventId);
  expect(eventsOf(await list(''))).toEqual(made);
  const first = await list('limit=2');
  expect(first.hasMore).toBe(true);
  expect(eventsOf(await list(`limit=3&startingAfter=${first.data[1].eventId}`))).toEqual(made.slice(2));
});

test('resending makes it due again with all retries, and counts attempts on', async () => {
  const [one, other] = [await newEndpoint(), await newEndpoint(['payment.failed'])];
  const id = await emit({ type: 'payment.failed' });
  await deliver(id, one, { ...FAILED });
  const response = await post(`${EVENTS}/${id}/resend`);
  expect({ status: response.statusCode, ...response.json() }).toEqual({ status: 202, deliveries: 2 });
  expect(await deliveryRow(id, one)).toMatchObject({
    status: 'pending',
    attempt_count: 3,
    uncharged_count: 3,
    next_at: new Date(clock.atMs),
    reason: null,
  });
  expect(await deliveryRow(id, other)).toMatchObject({ status: 'pending', attempt_count: 0 });
  expect((await post(`${EVENTS}/${id}/resend`, { endpointId: other })).json()).toEqual({ deliveries: 1 });
  const { rows } = await pool.query('select detail from svc.audit where action = $1 and target = $2', [
    'event.resent',
    id,
  ]);
  expect(rows).toHaveLength(2);
});

test('what is being sent at this moment is not disturbed by a resend', async () => {
  const endpointId = await newEndpoint();
  const id = await emit();
  const soon = new Date(clock.atMs + 60_000);
  await deliver(id, endpointId, { next_at: soon, lease_until: soon, fence: 4, attempt_count: 1 });
  expect((await post(`${EVENTS}/${id}/resend`, { endpointId })).json()).toEqual({ deliveries: 1 });
  expect(await deliveryRow(id, endpointId)).toMatchObject({ lease_until: soon, next_at: soon, fence: '4' });
});

test('an endpoint that is off gets no resend, no sample and no recovery', async () => {
  const endpointId = await newEndpoint();
  const id = await emit();
  await post(`${ENDPOINTS}/${endpointId}/disable`);
  const range = { from: '2026-01-01T00:00:00Z', to: '2027-01-01T00:00:00Z' };
  for (const [path, body] of [
    [`${EVENTS}/${id}/resend`, { endpointId }],
    [`${ENDPOINTS}/${endpointId}/test`, { type: 'payment.failed' }],
    [`${ENDPOINTS}/${endpointId}/recover`, range],
  ] as const) {
    expect((await post(path, body)).json()).toMatchObject({ error: 'endpoint_disabled' });
  }
});

test.each(EVENT_TYPES)('a sample of %s goes to its endpoint alone, and touches no payment', async (type) => {
  const [endpointId, other] = [await newEndpoint(), await newEndpoint([type])];
  const count = async () =>
    (await pool.query('select (select count(*) from svc.intents) i, (select count(*) from svc.payments) p')).rows;
  const before = await count();
  const response = await post(`${ENDPOINTS}/${endpointId}/test`, { type });
  expect(response.statusCode).toBe(202);
  const event = await get(`${EVENTS}/${response.json().eventId}`);
  expect(event.deliveries.map((delivery: { endpointId: string }) => delivery.endpointId)).toEqual([endpointId]);
  expect(webhookEvent.parse(event.event)).toEqual(event.event);
  expect(event.event).toMatchObject({ type, livemode: false, data: { object: { metadata: { svc_sample: true } } } });
  const triggered = (await post(`${EVENTS}/trigger`, { type })).json();
  const deliveries = (await get(`${EVENTS}/${triggered.eventId}`)).deliveries as { endpointId: string }[];
  expect(deliveries).toHaveLength(triggered.deliveries);
  expect(deliveries.map((delivery) => delivery.endpointId)).toContain(other);
  expect(await count()).toEqual(before);
  const sent = [response.json().eventId, triggered.eventId];
  // Ids of one millisecond have no order.
  const audited = await pool.query(
    'select target, detail from svc.audit where target = any ($1) order by array_position($1, target)',
    [sent],
  );
  expect(audited.rows).toMatchObject([
    { target: sent[0], detail: { type, endpointId, deliveries: 1 } },
    { target: sent[1], detail: { type, endpointId: null, deliveries: triggered.deliveries } },
  ]);
  for (const id of [endpointId, other]) await call(api, 'DELETE', `${ENDPOINTS}/${id}`, { key });
});

test('in live mode there are no samples', async () => {
  const made = await post(ENDPOINTS, { url: 'https://a.example/', eventTypes: ['payment.failed'] }, keys.live.secret);
  const path = `${ENDPOINTS}/${made.json().endpoint.id}/test`;
  for (const each of [path, `${EVENTS}/trigger`]) {
    const response = await post(each, { type: 'payment.completed' }, keys.live.secret);
    expect({ status: response.statusCode, ...response.json() }).toMatchObject({ status: 403, error: 'test_mode_only' });
  }
  expect((await get(EVENTS, keys.live.secret)).data).toEqual([]);
});

test('a recovery is a job that can be looked at, one at a time per endpoint', async () => {
  const endpointId = await newEndpoint();
  const path = `${ENDPOINTS}/${endpointId}/recover`;
  const range = { from: '2026-01-01T00:00:00Z', to: '2027-01-01T00:00:00Z' };
  const first = await post(path, range);
  expect(first.statusCode).toBe(202);
  const { recovery } = first.json();
  expect(recovery).toMatchObject({ endpointId, status: 'running', total: null, examined: 0, queued: 0 });
  const read = await get(`/sdk/webhooks/recoveries/${recovery.id}`);
  expect(recoveryResponse.parse(read)).toEqual({ recovery });
  expect((await post(path, range)).json()).toMatchObject({ error: 'recovery_in_progress' });
  expect((await post(path, { ...range, to: range.from })).json()).toMatchObject({ error: 'time_range_invalid' });
  expect((await post(path, { ...range, from: 'now' })).json()).toMatchObject({
    error: 'malformed_request',
    param: 'from',
  });
  const { rows } = await pool.query('select detail from svc.audit where action = $1', ['endpoint.recovered']);
  expect(rows).toMatchObject([{ detail: { recoveryId: recovery.id, only: 'failed' } }]);
});
