import { createDeliveryStore } from '@svc-pay/postgres/webhooks-service';
import { expect, test } from 'vitest';
import { startDeliveryWorld, type World } from '../testing/delivery-world.ts';
import { pileDeliveries } from '../testing/pile-deliveries.ts';
import { startReceiver } from '../testing/receiver.ts';

const pile = (world: World, endpointId: string, count: number) =>
  pileDeliveries(world, endpointId, count, world.clock.nowMs() - 60_000);

test('an endpoint that hangs with thousands of deliveries does not hold up the others', async () => {
  const world = await startDeliveryWorld({ environment: { SVC_WEBHOOKS_CONCURRENCY: '32' } });
  const hung = await startReceiver(() => {});
  const healthy = await startReceiver();
  await pile(world, (await world.shop.addEndpoint({ url: hung.url, timeoutSeconds: 30 })).id, 5_000);
  const endpoint = await world.shop.addEndpoint({ url: healthy.url });
  const sent = await Promise.all(
    Array.from({ length: 200 }, () => world.shop.emit([endpoint], { atMs: world.clock.nowMs() })),
  );
  const turns = world.settle();
  await expect.poll(() => healthy.requests.length, { timeout: 10_000 }).toBe(sent.length);
  expect(hung.requests.length).toBeLessThanOrEqual(4);
  await world.sending.dispatcher.stop(0);
  await world.pool.query("update svc.deliveries set next_at = 'infinity' where status = 'pending'");
  await turns;
});

test('a fresh event goes before thousands that fell due earlier for others', async () => {
  const world = await startDeliveryWorld({ environment: { SVC_WEBHOOKS_CONCURRENCY: '8' } });
  const flooded = await startReceiver();
  const other = await startReceiver();
  for (let index = 0; index < 60; index += 1) {
    await pile(world, (await world.shop.addEndpoint({ url: flooded.url })).id, 50);
  }
  const endpoint = await world.shop.addEndpoint({ url: other.url });
  const turns = world.settle();
  await expect.poll(() => flooded.requests.length, { timeout: 10_000 }).toBeGreaterThan(100);
  const before = flooded.requests.length;
  await world.shop.emit([endpoint], { atMs: world.clock.nowMs() });
  await expect.poll(() => other.requests.length, { timeout: 10_000, interval: 5 }).toBe(1);
  expect(flooded.requests.length - before).toBeLessThan(200);
  await world.sending.dispatcher.stop(0);
  await world.pool.query("update svc.deliveries set next_at = 'infinity' where status = 'pending'");
  await turns;
});

test('a claim over a thousand endpoints, one of them with a hundred thousand rows, takes a few of each and is quick', async () => {
  const world = await startDeliveryWorld();
  const { pool, servicePool, shop, clock } = world;
  const big = await shop.addEndpoint({ url: 'http://127.0.0.1:1/' });
  await pile(world, big.id, 100_000);
  await pool.query(
    `with made as (
       insert into svc.endpoints (account_id, mode, id, url, event_types, status, api_version, created_at, updated_at)
       select $1, 'test', 'we_' || lpad(n::text, 26, '0'), 'http://127.0.0.1:1/', '{payment_intent.created}', 'enabled',
         '2026-11-15', now(), now() from generate_series(1, 999) n
       returning id
     )
     insert into svc.deliveries (account_id, mode, event_id, endpoint_id, status, next_at, created_at)
     select $1, 'test', event.id, made.id, 'pending', $2, $2
     from made, (select id from svc.events order by id limit 5) event`,
    [shop.accountId, new Date(clock.nowMs())],
  );
  const shard = { drain: 'test', index: 0, count: 1 };
  const seen = new Set<string>();
  const lookMs: number[] = [];
  const claimMs: number[] = [];
  let after = '';
  do {
    const lookStartMs = performance.now();
    const due = await createDeliveryStore(servicePool).walkDueEndpoints(shard, ['test'], clock.nowMs(), after);
    lookMs.push(performance.now() - lookStartMs);
    after = due.after;
    if (due.endpoints.length === 0) break;
    const wanted = due.endpoints.slice(0, 50).map((each) => ({ ...each, room: 5, keptRoom: 1 }));
    const claimStartMs = performance.now();
    const claimed = await createDeliveryStore(servicePool).leaseDeliveries(wanted, clock.nowMs(), 60_000);
    claimMs.push(performance.now() - claimStartMs);
    expect(claimed).toHaveLength(250);
    for (const { endpointId } of due.endpoints) seen.add(endpointId);
  } while (after !== '');
  expect(seen.size).toBe(1_000);
  console.log(
    `look ${median(lookMs).toFixed(1)} ms (1,000 endpoints), claim ${median(claimMs).toFixed(1)} ms (50 × 5 rows)`,
  );
  // Limit far above the measured times: only a scan of the whole table exceeds it.
  expect(median(claimMs)).toBeLessThan(1_000);
  expect(median(lookMs)).toBeLessThan(1_000);
});

const median = (values: readonly number[]) => values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0;
