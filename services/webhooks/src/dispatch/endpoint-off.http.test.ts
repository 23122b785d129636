import { enableEndpoint } from '@svc-pay/postgres/webhooks-service';
import { expect, test } from 'vitest';
import { startDeliveryWorld } from '../testing/delivery-world.ts';
import { startReceiver, status } from '../testing/receiver.ts';

const world = await startDeliveryWorld();
const { pool, shop, clock, settle, delivery } = world;
const DAY_MS = 86_400_000;

async function endpointRow(id: string) {
  const { rows } = await pool.query<{ status: string; disabled_reason: string | null; failing_since: Date | null }>(
    'select status, disabled_reason, failing_since from svc.endpoints where id = $1',
    [id],
  );
  return rows[0];
}
const enable = (endpointId: string) =>
  enableEndpoint(pool, { accountId: shop.accountId, mode: 'test', endpointId }, clock.nowMs());

test('410 switches an endpoint off; what it missed waits, and goes out when it is on again', async () => {
  const receiver = await startReceiver(status(410));
  const endpoint = await shop.addEndpoint({ url: receiver.url, retryCount: 2 });
  const first = await shop.emit([endpoint], { atMs: clock.nowMs() });
  await settle();
  expect(await endpointRow(endpoint.id)).toMatchObject({ status: 'disabled', disabled_reason: 'gone' });
  const second = await shop.emit([endpoint], { atMs: clock.nowMs() });
  clock.move(3 * DAY_MS);
  await settle();
  expect(receiver.requests).toHaveLength(1);
  for (const event of [first, second]) {
    expect(await delivery(event)).toMatchObject({ status: 'pending', next_at: Number.POSITIVE_INFINITY });
  }
  receiver.answer = status(200);
  expect(await enable(endpoint.id)).toBe(2);
  await settle();
  expect(receiver.requests).toHaveLength(3);
  expect(await delivery(first)).toMatchObject({ status: 'succeeded', attempt_count: 2 });
  expect(await delivery(second)).toMatchObject({ status: 'succeeded', attempt_count: 1 });
});

test('five days of nothing but failures switch an endpoint off, and what had been given up comes back with it', async () => {
  const receiver = await startReceiver(status(500));
  const endpoint = await shop.addEndpoint({ url: receiver.url, retryCount: 1 });
  const startMs = clock.nowMs();
  const early = await shop.emit([endpoint], { atMs: clock.nowMs() });
  await settle();
  expect((await endpointRow(endpoint.id))?.failing_since).toEqual(new Date(startMs));
  clock.move(10_000);
  await settle();
  expect(await delivery(early)).toMatchObject({ status: 'failed' });
  clock.move(4 * DAY_MS);
  await shop.emit([endpoint], { atMs: clock.nowMs() });
  await settle();
  expect(await endpointRow(endpoint.id)).toMatchObject({ status: 'enabled', failing_since: new Date(startMs) });
  clock.move(DAY_MS);
  const late = await shop.emit([endpoint], { atMs: clock.nowMs() });
  await settle();
  expect(await endpointRow(endpoint.id)).toMatchObject({ status: 'disabled', disabled_reason: 'failing' });
  const before = receiver.requests.length;
  clock.move(DAY_MS);
  await settle();
  expect(receiver.requests).toHaveLength(before);

  receiver.answer = status(200);
  expect(await enable(endpoint.id)).toBe(3);
  await settle();
  expect(receiver.requests).toHaveLength(before + 3);
  expect(await delivery(early)).toMatchObject({ status: 'succeeded' });
  expect(await delivery(late)).toMatchObject({ status: 'succeeded' });
  expect(await endpointRow(endpoint.id)).toMatchObject({ status: 'enabled', failing_since: null });
});

test('one success in between begins the count anew', async () => {
  const receiver = await startReceiver(status(500));
  const endpoint = await shop.addEndpoint({ url: receiver.url, retryCount: 0 });
  const emit = async (answer: number) => {
    receiver.answer = status(answer);
    await shop.emit([endpoint], { atMs: clock.nowMs() });
    await settle();
  };
  await emit(500);
  clock.move(4 * DAY_MS);
  await emit(204);
  expect((await endpointRow(endpoint.id))?.failing_since).toBeNull();
  await emit(500);
  clock.move(4 * DAY_MS);
  await emit(500);
  expect(await endpointRow(endpoint.id)).toMatchObject({ status: 'enabled' });
});

test('our own faults switch nobody off', async () => {
  const receiver = await startReceiver();
  const failingSince = new Date(clock.nowMs() - 30 * DAY_MS);
  const endpoint = await shop.addEndpoint({ url: receiver.url, retryCount: 0, failingSince });
  await pool.query("update svc.endpoints set secret_ciphertext = 'x' where id = $1", [endpoint.id]);
  const event = await shop.emit([endpoint], { atMs: clock.nowMs() });
  await settle();
  expect(await endpointRow(endpoint.id)).toMatchObject({ status: 'enabled', failing_since: failingSince });
  expect(await delivery(event)).toMatchObject({ status: 'pending', uncharged_count: 1 });
});

test('what is due for a deleted endpoint is discarded, with the reason', async () => {
  const receiver = await startReceiver();
  const endpoint = await shop.addEndpoint({ url: receiver.url, status: 'deleted' });
  const event = await shop.emit([endpoint], { atMs: clock.nowMs() });
  const stray = await shop.emit([{ id: 'we_nobody', secret: '' }], { atMs: clock.nowMs() });
  await settle();
  expect(receiver.requests).toHaveLength(0);
  expect(await delivery(event)).toMatchObject({ status: 'discarded', reason: 'endpoint_deleted' });
  expect(await delivery(stray)).toMatchObject({ status: 'discarded', reason: 'endpoint_unknown' });
});

test('an endpoint that is on can’t be switched on', async () => {
  const endpoint = await shop.addEndpoint({ url: 'http://127.0.0.1:1/' });
  expect(await enable(endpoint.id)).toBeUndefined();
});
