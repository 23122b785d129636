import { expect, test } from 'vitest';
import { startDeliveryWorld } from './testing/delivery-world.ts';
import { startReceiver, status } from './testing/receiver.ts';

const world = await startDeliveryWorld();
const { shop, clock, settle, sending, pool } = world;
const read = sending.metrics.read;

test('what is due, how long, and for whom: endpoints that fail are told apart from those that are well', async () => {
  const well = await startReceiver();
  const broken = await startReceiver(status(500));
  const fine = await shop.addEndpoint({ url: well.url });
  const failing = await shop.addEndpoint({ url: broken.url });
  const gone = await shop.addEndpoint({ url: (await startReceiver(status(410))).url });
  expect(await read()).toMatch(/^deliveries_due\{health="well"\} 0$/m);

  await shop.emit([fine, failing, gone], { atMs: clock.nowMs() });
  await settle();
  clock.move(90_000);
  await shop.emit([fine], { atMs: clock.nowMs() });
  clock.move(30_000);
  const seen = await read();
  for (const line of [
    'deliveries_due{health="well"} 1',
    'deliveries_due_oldest_seconds{health="well"} 30',
    'deliveries_due{health="failing"} 1',
    'endpoints_failing{mode="test"} 1',
    'endpoints_failing_longest_seconds{mode="test"} 120',
    'endpoints_off{mode="test",reason="gone"} 1',
    'endpoints_switched_off_total{reason="gone"} 1',
    'delivery_attempts_total{mode="test",outcome="refused"} 2',
    'delivery_attempts_total{mode="test",outcome="our_fault"} 0',
  ]) {
    expect(seen.split('\n')).toContain(line);
  }
  await settle();
  expect(await read()).toMatch(/^deliveries_due_oldest_seconds\{health="well"\} 0$/m);
});

test('without the database the rest is told, and nothing old is', async () => {
  await pool.query('alter table svc.endpoints rename to endpoints_away');
  const blind = await read();
  await pool.query('alter table svc.endpoints_away rename to endpoints');
  expect(blind).not.toMatch(/^(?:deliveries_due|endpoints_failing|endpoints_off)\b/m);
  expect(blind).toMatch(/^delivery_attempts_total\{/m);
  expect(await read()).toMatch(/^deliveries_due\{/m);
});
