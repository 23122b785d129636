import { type DeliveryReport, judgeAttempt, type LeasedDelivery } from '@svc-pay/core';
import { createDeliveryStore } from '@svc-pay/postgres/webhooks-service';
import { beforeEach, expect, test } from 'vitest';
import { startDeliveryWorld, type World } from '../testing/delivery-world.ts';
import { startReceiver, status } from '../testing/receiver.ts';

const LEASE_MS = 60_000;
let world: World;
beforeEach(async () => {
  world = await startDeliveryWorld();
});

function claim(endpointId: string, room = 100) {
  const { pool, shop, clock } = world;
  const wanted = [{ accountId: shop.accountId, mode: 'test' as const, endpointId, room, keptRoom: 0 }];
  return createDeliveryStore(pool).leaseDeliveries(wanted, clock.nowMs(), LEASE_MS);
}

function reportOf(claimed: LeasedDelivery, outcome: 'succeeded' | 'refused' = 'succeeded'): DeliveryReport {
  const record = {
    outcome,
    responseStatus: outcome === 'succeeded' ? 200 : 500,
    address: null,
    dnsMs: null,
    connectMs: null,
    tlsMs: null,
    firstByteMs: null,
    totalMs: 5,
    requestHeaders: {},
    responseHeaders: {},
    responseExcerpt: null,
    error: null,
    startedAtMs: world.clock.nowMs(),
    retryAfterMs: null,
  } as const;
  return { delivery: claimed, record, verdict: judgeAttempt(claimed, record, world.clock.nowMs(), () => 0.5) };
}

test('a leased delivery is nobody else’s until its lease ends', async () => {
  const { shop, clock } = world;
  const endpoint = await shop.addEndpoint({ url: 'http://127.0.0.1:1/' });
  await shop.emit([endpoint], { atMs: clock.nowMs() });
  expect(await claim(endpoint.id)).toHaveLength(1);
  expect(await claim(endpoint.id)).toHaveLength(0);
  clock.move(LEASE_MS - 1);
  expect(await claim(endpoint.id)).toHaveLength(0);
  clock.move(1);
  expect(await claim(endpoint.id)).toHaveLength(1);
});

test('two senders at once never claim the same delivery', async () => {
  const { shop, clock } = world;
  const endpoint = await shop.addEndpoint({ url: 'http://127.0.0.1:1/' });
  const events = await Promise.all(Array.from({ length: 40 }, () => shop.emit([endpoint], { atMs: clock.nowMs() })));
  const claims = (await Promise.all(Array.from({ length: 8 }, () => claim(endpoint.id, 10)))).flat();
  expect(new Set(claims.map(({ eventId }) => eventId)).size).toBe(claims.length);
  const rest = await claim(endpoint.id);
  expect([...claims, ...rest].map(({ eventId }) => eventId).toSorted()).toEqual(events.toSorted());
});

test('who paused past the lease records nothing, and the attempt that got lost is in the log', async () => {
  const { pool, shop, clock, settle, delivery, attempts } = world;
  const receiver = await startReceiver();
  const endpoint = await shop.addEndpoint({ url: receiver.url, retryCount: 0 });
  const event = await shop.emit([endpoint], { atMs: clock.nowMs() });
  const [paused] = await claim(endpoint.id);
  clock.move(LEASE_MS);
  await settle();
  expect(receiver.requests).toHaveLength(1);
  const before = await delivery(event);
  expect(before).toMatchObject({ status: 'succeeded', attempt_count: 2, uncharged_count: 1 });
  const { count } = await createDeliveryStore(pool).recordDeliveries([reportOf(paused!, 'refused')], clock.nowMs());
  expect(count).toBe(0);
  expect(await delivery(event)).toEqual(before);
  expect(await attempts(event)).toMatchObject([
    { attempt: 1, outcome: 'our_fault', error: expect.stringContaining('it may have arrived') },
    { attempt: 2, outcome: 'succeeded' },
  ]);
});

test('who paused past the lease may still record while nobody else has claimed', async () => {
  const { pool, shop, clock, delivery } = world;
  const endpoint = await shop.addEndpoint({ url: 'http://127.0.0.1:1/' });
  const event = await shop.emit([endpoint], { atMs: clock.nowMs() });
  const [paused] = await claim(endpoint.id);
  clock.move(LEASE_MS + 1);
  const { count } = await createDeliveryStore(pool).recordDeliveries([reportOf(paused!)], clock.nowMs());
  expect(count).toBe(1);
  expect(await delivery(event)).toMatchObject({ status: 'succeeded', attempt_count: 1 });
});

test('who lost the lease to another records nothing while the other is at it', async () => {
  const { pool, shop, clock, delivery } = world;
  const endpoint = await shop.addEndpoint({ url: 'http://127.0.0.1:1/' });
  const event = await shop.emit([endpoint], { atMs: clock.nowMs() });
  const [paused] = await claim(endpoint.id);
  clock.move(LEASE_MS);
  const [other] = await claim(endpoint.id);
  expect((await createDeliveryStore(pool).recordDeliveries([reportOf(paused!)], clock.nowMs())).count).toBe(0);
  expect(await delivery(event)).toMatchObject({ status: 'pending', lease_until: new Date(clock.nowMs() + LEASE_MS) });
  expect((await createDeliveryStore(pool).recordDeliveries([reportOf(other!, 'refused')], clock.nowMs())).count).toBe(
    1,
  );
});

test('the reports of a lost lease and of the next one may come together: the next one counts, as do those beside them', async () => {
  const { pool, shop, clock, delivery, attempts } = world;
  const endpoint = await shop.addEndpoint({ url: 'http://127.0.0.1:1/' });
  const event = await shop.emit([endpoint], { atMs: clock.nowMs() });
  const [paused] = await claim(endpoint.id);
  clock.move(LEASE_MS);
  const [again] = await claim(endpoint.id);
  const beside = await shop.emit([endpoint], { atMs: clock.nowMs() });
  const [neighbour] = await claim(endpoint.id);
  const reports = [reportOf(paused!, 'refused'), reportOf(neighbour!), reportOf(again!)];
  expect((await createDeliveryStore(pool).recordDeliveries(reports, clock.nowMs())).count).toBe(2);
  expect(await delivery(event)).toMatchObject({ status: 'succeeded', attempt_count: 2 });
  expect(await delivery(beside)).toMatchObject({ status: 'succeeded', attempt_count: 1 });
  expect((await attempts(event)).map(({ outcome }) => outcome)).toEqual(['our_fault', 'succeeded']);
});

test('the same report twice counts once', async () => {
  const { pool, shop, clock, attempts } = world;
  const endpoint = await shop.addEndpoint({ url: 'http://127.0.0.1:1/' });
  const event = await shop.emit([endpoint], { atMs: clock.nowMs() });
  const [claimed] = await claim(endpoint.id);
  const report = reportOf(claimed!, 'refused');
  expect((await createDeliveryStore(pool).recordDeliveries([report], clock.nowMs())).count).toBe(1);
  expect((await createDeliveryStore(pool).recordDeliveries([report], clock.nowMs())).count).toBe(0);
  expect(await attempts(event)).toHaveLength(1);
});

test('of two workers over one queue each delivery arrives once', async () => {
  const { shop, clock, settle } = world;
  const receiver = await startReceiver(status(200));
  const endpoint = await shop.addEndpoint({ url: receiver.url });
  const events = await Promise.all(Array.from({ length: 60 }, () => shop.emit([endpoint], { atMs: clock.nowMs() })));
  const other = world.join();
  await Promise.all([settle(), settle(other), settle()]);
  const arrived = receiver.requests.map(({ headers }) => String(headers['webhook-id']));
  expect(arrived.toSorted()).toEqual(events.toSorted());
});

test('a process that is stopped cuts off what is under way and says so', async () => {
  const { shop, clock, settle, delivery, attempts } = world;
  const receiver = await startReceiver(() => {});
  const event = await shop.emit([await shop.addEndpoint({ url: receiver.url, retryCount: 0 })], {
    atMs: clock.nowMs(),
  });
  const stopping = world.join();
  const turns = settle(stopping);
  await expect.poll(() => receiver.requests.length).toBe(1);
  await stopping.dispatcher.stop(0);
  expect(await attempts(event)).toMatchObject([
    { outcome: 'our_fault', error: expect.stringContaining('was stopped') },
  ]);
  expect(await delivery(event)).toMatchObject({ status: 'pending', uncharged_count: 1, lease_until: null });
  await turns;
});
