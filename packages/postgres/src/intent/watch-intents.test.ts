import { newId } from '@svc-pay/protocol/ids';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { insertRow, insertRows } from '../testing/sample-rows.ts';
import { ANY_INTENT, watchIntents } from './watch-intents.ts';

const { pool, url } = await createTestDatabase();

async function until(met: () => boolean | Promise<boolean>): Promise<void> {
  const startMs = performance.now();
  while (!(await met())) {
    if (performance.now() - startMs > 10_000) throw new Error('it never happened');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test('a change is told to its own waiters, also after the connection was lost', async () => {
  await insertRow(pool, 'intents');
  const { rows } = await pool.query<{ id: string }>('select id from svc.intents');
  const id = rows[0]!.id;
  const change = (status: string) => pool.query('update svc.intents set status = $1 where id = $2', [status, id]);
  const watcher = watchIntents(url, () => {});
  try {
    const told = { mine: 0, other: 0 };
    let any = 0;
    watcher.watch(ANY_INTENT, () => (any += 1));
    const stop = watcher.watch(id, () => (told.mine += 1));
    watcher.watch('pi_other', () => (told.other += 1));
    // Both are called once when the connection listens.
    await until(() => told.mine === 1 && told.other === 1);
    await change('failed');
    await until(() => told.mine === 2);
    expect(told.other).toBe(1);
    expect(any).toBe(2);

    // Notifications are lost while the connection is down, so every waiter is called after the reconnect.
    await pool.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'svc-watch'");
    await until(() => told.mine === 3 && told.other === 2);
    await change('canceled');
    await until(() => told.mine === 4);

    stop();
    await change('failed');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(told).toEqual({ mine: 4, other: 2 });
    expect(any).toBe(5);
  } finally {
    await watcher.close();
  }
});

test('a statement that changes many intents tells each waiter, in few notifications, and no claim', async () => {
  const ids = Array.from({ length: 450 }, () => newId('paymentIntent', Date.now()));
  await insertRows(
    pool,
    'intents',
    ids.map((id, index) => ({ id, intent_code: 1_000_000 + index })),
  );
  const watcher = watchIntents(url, () => {});
  const listener = await pool.connect();
  const payloads: string[] = [];
  try {
    const told = new Map<string, number>();
    for (const id of ids) watcher.watch(id, () => told.set(id, (told.get(id) ?? 0) + 1));
    await until(() => told.size === ids.length);
    listener.on('notification', ({ payload = '' }) => payloads.push(payload));
    await listener.query('listen svc_intent');
    const change = (status: string) =>
      pool.query('update svc.intents set status = $1 where id = any ($2)', [status, ids]);
    await change('processing');
    await change('failed');
    await until(() => [...told.values()].every((times) => times === 2));
    await until(() => payloads.join(',').split(',').length >= ids.length);
    const sizes = payloads.map((payload) => payload.split(',').length);
    expect(sizes.toSorted((one, other) => one - other)).toEqual([50, 200, 200]);
  } finally {
    listener.release(true);
    await watcher.close();
  }
});

test('while the database is away it is tried at one pace, however long that takes', async () => {
  let failures = 0;
  const watcher = watchIntents('postgres://nobody:nothing@127.0.0.1:9/none', () => (failures += 1));
  await new Promise((resolve) => setTimeout(resolve, 3_200));
  await watcher.close();
  // One try every half second. If a failure counted twice, the number of tries would double each time.
  expect(failures).toBeGreaterThanOrEqual(2);
  expect(failures).toBeLessThanOrEqual(14);
});
