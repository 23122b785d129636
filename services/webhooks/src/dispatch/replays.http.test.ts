import { type Caller, isoTime } from '@svc-pay/core';
import { createMerchantStores } from '@svc-pay/postgres/merchant-api';
import { nameFailing, workReplay } from '@svc-pay/postgres/webhooks-service';
import { type Id, newId } from '@svc-pay/protocol/ids';
import { expect, test } from 'vitest';
import { startDeliveryWorld } from '../testing/delivery-world.ts';
import { startReceiver, status } from '../testing/receiver.ts';

const world = await startDeliveryWorld();
const { pool, servicePool, shop, clock, settle, delivery, attempts } = world;
const DAY_MS = 86_400_000;
const stores = createMerchantStores({ pool }, clock);
const caller: Caller = { accountId: shop.accountId, keyId: shop.keyId as Id<'key'>, kind: 'secret', mode: 'test' };
const NOTHING = { ok: true, answer: { status: 200, headers: {}, body: '' } } as const;

async function order(endpointId: string, scope: 'failed' | 'all', fromMs: number, toMs: number): Promise<string> {
  const id = newId('replay', clock.nowMs());
  await stores.write(caller, null, async (writes) => {
    await writes.beginReplay({ id, endpointId, fromMs, toMs, types: null, scope });
    return NOTHING;
  });
  return id;
}
const replayOf = (id: string) => stores.read(caller).replay(id);
const work = async () => {
  while (await workReplay(servicePool, ['test'], clock.nowMs()));
};

test('a resend brings the same bytes under the same id, and counts attempts on', async () => {
  const receiver = await startReceiver(status(500));
  const endpoint = await shop.addEndpoint({ url: receiver.url, retryCount: 0 });
  const event = await shop.emit([endpoint], { atMs: clock.nowMs() });
  await settle();
  expect(await delivery(event)).toMatchObject({ status: 'failed', attempt_count: 1 });
  receiver.answer = status(200);
  await stores.write(caller, null, async (writes) => {
    expect(await writes.resendEvent(event, endpoint.id)).toEqual({ ok: true, deliveries: 1 });
    return NOTHING;
  });
  await settle();
  expect(await delivery(event)).toMatchObject({ status: 'succeeded', attempt_count: 2 });
  expect((await attempts(event)).map(({ attempt, outcome }) => [attempt, outcome])).toEqual([
    [1, 'refused'],
    [2, 'succeeded'],
  ]);
  const [first, second] = receiver.requests;
  expect(second?.body).toEqual(first?.body);
  expect(second?.headers['webhook-id']).toBe(event);
});

test('a payment’s event that is sent again goes first; in a replay it goes as an ordinary one', async () => {
  const receiver = await startReceiver(status(500));
  const eventTypes = ['payment.completed', 'payment_intent.created'];
  const endpoint = await shop.addEndpoint({ url: receiver.url, retryCount: 0, eventTypes });
  await pool.query('update svc.endpoints set created_at = $2 where id = $1', [endpoint.id, isoTime(clock.nowMs())]);
  clock.move(1_000);
  const atMs = clock.nowMs();
  const event = await shop.emit([endpoint], { atMs, type: 'payment.completed' });
  const other = await shop.emit([endpoint], { atMs, type: 'payment_intent.created' });
  await settle();
  const goesFirst = async () => [(await delivery(event)).goes_first, (await delivery(other)).goes_first];
  expect(await goesFirst()).toEqual([true, false]);
  clock.move(1_000);
  await order(endpoint.id, 'failed', atMs, clock.nowMs());
  await work();
  expect(await goesFirst()).toEqual([false, false]);
  await settle();
  await stores.write(caller, null, async (writes) => {
    for (const each of [event, other]) await writes.resendEvent(each, endpoint.id);
    return NOTHING;
  });
  expect(await goesFirst()).toEqual([true, false]);
  receiver.answer = status(200);
  await settle();
});

test('a replay of failures brings what was given up and what never went out, and leaves the rest alone', async () => {
  const receiver = await startReceiver(status(500));
  const endpoint = await shop.addEndpoint({ url: receiver.url, retryCount: 0 });
  clock.move(1_000);
  await pool.query('update svc.endpoints set created_at = $2 where id = $1', [endpoint.id, isoTime(clock.nowMs())]);
  const emit = async (targets: readonly (typeof endpoint)[]) => {
    clock.move(1_000);
    return shop.emit(targets, { atMs: clock.nowMs() });
  };
  const beforeItsTime = await shop.emit([], { atMs: clock.nowMs() - DAY_MS });
  const givenUp = await emit([endpoint]);
  await settle();
  receiver.answer = status(200);
  const arrived = await emit([endpoint]);
  await settle();
  const missed = await emit([]);
  clock.move(1_000);
  receiver.requests.length = 0;
  const id = await order(endpoint.id, 'failed', clock.nowMs() - 2 * DAY_MS, clock.nowMs());
  await work();
  expect(await replayOf(id)).toMatchObject({ status: 'done', total: 3, examined: 3, queued: 2 });
  await settle();
  expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([givenUp, missed]));
  expect(receiver.requests).toHaveLength(2);
  expect(await delivery(arrived)).toMatchObject({ status: 'succeeded', attempt_count: 1 });
  const { rows } = await pool.query('select from svc.deliveries where event_id = $1', [beforeItsTime]);
  expect(rows).toHaveLength(0);

  const all = await order(endpoint.id, 'all', clock.nowMs() - 2 * DAY_MS, clock.nowMs());
  receiver.requests.length = 0;
  await work();
  await settle();
  const brought = receiver.requests.map(({ headers }) => headers['webhook-id']);
  expect(brought).toEqual(expect.arrayContaining([beforeItsTime, givenUp, arrived, missed]));
  expect(brought).toHaveLength((await replayOf(all))?.queued ?? 0);
});

test('a replay that is cut off between two steps goes on where it was, and sends nothing twice', async () => {
  const endpoint = await shop.addEndpoint({ url: 'http://127.0.0.1:9/', eventTypes: ['payment.refunded'] });
  clock.move(DAY_MS);
  const startMs = clock.nowMs();
  const ids = Array.from({ length: 1_200 }, (_, index) => newId('event', startMs + index));
  await pool.query(
    `insert into svc.events (account_id, mode, id, type, intent_id, sequence, api_version, body, created_at)
     select $1, 'test', id, 'payment.refunded', 'pi_x', 1, '2026-11-15', '{}', now() from unnest($2::text[]) as id`,
    [shop.accountId, ids],
  );
  const id = await order(endpoint.id, 'all', startMs, startMs + DAY_MS);
  const step = () => workReplay(servicePool, ['test'], clock.nowMs());
  await step();
  expect(await replayOf(id)).toMatchObject({ status: 'running', total: 1_200, examined: 0 });
  await step();
  expect(await replayOf(id)).toMatchObject({ status: 'running', examined: 500, queued: 500 });
  // A process dies in the middle of a step: the step is rolled back.
  const dying = await servicePool.connect();
  await dying.query('begin');
  await dying.query('select from svc.event_replays for update');
  expect(await step()).toBe(false);
  await dying.query('rollback');
  dying.release();
  // Deliveries queued by the first step succeed in the meantime.
  await pool.query(
    `update svc.deliveries set status = 'succeeded', next_at = null, finished_at = now() where endpoint_id = $1`,
    [endpoint.id],
  );
  await Promise.all([work(), work()]);
  expect(await replayOf(id)).toMatchObject({ status: 'done', total: 1_200, examined: 1_200, queued: 1_200 });
  const { rows } = await pool.query(
    'select status, count(*)::integer from svc.deliveries where endpoint_id = $1 group by status order by status',
    [endpoint.id],
  );
  expect(rows).toEqual([
    { status: 'pending', count: 700 },
    { status: 'succeeded', count: 500 },
  ]);
  await pool.query(`update svc.endpoints set status = 'deleted' where id = $1`, [endpoint.id]);
  await settle();
});

test('a replay for an endpoint that was deleted ends as failed', async () => {
  const endpoint = await shop.addEndpoint({ url: 'http://127.0.0.1:9/' });
  const id = await order(endpoint.id, 'all', 0, clock.nowMs());
  await stores.write(caller, null, async (writes) => {
    await writes.deleteEndpoint(endpoint.id);
    return NOTHING;
  });
  await work();
  expect(await replayOf(id)).toMatchObject({ status: 'failed', reason: 'endpoint_deleted' });
});

test('what is under way to an endpoint when it is deleted is discarded after it failed', async () => {
  const receiver = await startReceiver(status(500));
  const endpoint = await shop.addEndpoint({ url: receiver.url });
  receiver.answer = (response) => {
    const deleted = pool.query(`update svc.endpoints set status = 'deleted' where id = $1`, [endpoint.id]);
    void deleted.then(() => response.writeHead(500).end());
  };
  const event = await shop.emit([endpoint], { atMs: clock.nowMs() });
  await settle();
  clock.move(60_000);
  await settle();
  expect(await delivery(event)).toMatchObject({ status: 'discarded', reason: 'endpoint_deleted', attempt_count: 1 });
});

test('an endpoint that fails is named once a day from the second day on, and no more once it is well', async () => {
  const endpoint = await shop.addEndpoint({ url: 'http://127.0.0.1:9/', failingSince: new Date(clock.nowMs()) });
  const named = async () =>
    (await nameFailing(servicePool, ['test'], clock.nowMs())).filter(({ endpointId }) => endpointId === endpoint.id);
  const since = isoTime(clock.nowMs());
  expect(await named()).toEqual([]);
  clock.move(DAY_MS);
  expect(await named()).toEqual([
    {
      accountId: shop.accountId,
      mode: 'test',
      endpointId: endpoint.id,
      failingSince: since,
      disablesAt: isoTime(clock.nowMs() + 4 * DAY_MS),
    },
  ]);
  expect(await named()).toEqual([]);
  clock.move(DAY_MS);
  expect(await named()).toHaveLength(1);
  await pool.query('update svc.endpoints set failing_since = null where id = $1', [endpoint.id]);
  clock.move(DAY_MS);
  expect(await named()).toEqual([]);
});
