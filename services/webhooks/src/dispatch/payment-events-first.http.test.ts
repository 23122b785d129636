import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startDeliveryWorld } from '../testing/delivery-world.ts';
import { pileDeliveries } from '../testing/pile-deliveries.ts';
import { startReceiver } from '../testing/receiver.ts';

const SLOW_MS = 5_000;
const FLOOD = 760;
const BODY = '{"type":"payment.completed"}';

test('a flood of new intents to a receiver that takes 5 seconds delays payment.completed by less than a second', async () => {
  const world = await startDeliveryWorld();
  const timers: NodeJS.Timeout[] = [];
  const receiver = await startReceiver((response) => {
    timers.push(setTimeout(() => response.writeHead(200).end(), SLOW_MS));
  });
  const endpoint = await world.shop.addEndpoint({ url: receiver.url, timeoutSeconds: 30 });
  await pileDeliveries(world, endpoint.id, FLOOD, world.clock.nowMs() - 60_000);
  const turns = world.settle();
  await expect.poll(() => receiver.requests.length, { timeout: 10_000 }).toBeGreaterThan(2);
  await sleep(200);
  const before = receiver.requests.length;

  const dueMs = performance.now();
  await world.shop.emit([endpoint], { atMs: world.clock.nowMs(), type: 'payment.completed', body: BODY });
  const arrived = () => receiver.requests.find(({ body }) => body.toString() === BODY);
  await expect.poll(arrived, { timeout: 10_000, interval: 5 }).toBeDefined();
  expect((arrived()?.atMs ?? 0) - dueMs).toBeLessThan(1_000);
  // Nothing of the flood went in its slot.
  expect(receiver.requests).toHaveLength(before + 1);

  for (const timer of timers) clearTimeout(timer);
  await world.sending.dispatcher.stop(0);
  await world.pool.query("update svc.deliveries set next_at = 'infinity' where status = 'pending'");
  await turns;
});
