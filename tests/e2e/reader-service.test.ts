// The chain reader in the settlement service: it reads what lanes settled, and finds that it is what they recorded.
import { afterAll, expect, test } from 'vitest';
import { paymentStatuses, prepareMany, richPayers, settleAll, waitFor } from './many-payments.ts';
import { startWorld } from './start-world.ts';

const PAYMENTS = 20;
const metric = async (name: string, ...labels: string[]) => {
  const text = await (await fetch(`${world.internalUrl}/metrics`)).text();
  const line = `${name}{${[`network="${world.chain.network}"`, ...labels].join()}} `;
  return text
    .split('\n')
    .find((each) => each.startsWith(line))
    ?.slice(line.length);
};
const world = await startWorld({
  blockTimeSeconds: 0.3,
  api: { SVC_SETTLE_WAIT_MS: '0' },
  settlement: { SVC_READER_EVERY_MS: '1000' },
});
afterAll(() => world.stop());

test('every payment of a final batch is read once, and every batch agrees with what was read of it', async () => {
  const calls = await prepareMany(world, await richPayers(world, PAYMENTS), PAYMENTS);
  await settleAll(world, calls);
  await waitFor(async () => (await paymentStatuses(world))['completed'] === PAYMENTS, 40, 'all completed');
  const open = async () => {
    const { rows } = await world.database.pool.query<{ open: number }>(
      'select count(*)::integer as open from svc.batches where not compared',
    );
    return rows[0]?.open;
  };
  await waitFor(async () => (await open()) === 0, 60, 'all batches compared');
  const { rows } = await world.database.pool.query<{ read: number; waiting: number; proofs: number }>(`
    select (select sum(logs_read)::integer from svc.batches) as read,
      (select count(*)::integer from svc.read_logs) as waiting,
      (select count(*)::integer from svc.log_proofs where payment_id is not null) as proofs`);
  expect(rows).toEqual([{ read: PAYMENTS, waiting: 0, proofs: PAYMENTS }]);
  expect(await metric('reader_own_logs_total', 'kind="processor"')).toBe(String(PAYMENTS));
  expect(await metric('reader_unapplied_logs')).toBe('0');
  expect(await metric('reader_differences_total')).toBe('0');
});

test('a payment that a lane completed and the reader never read raises the alert', async () => {
  await world.database.pool.query(`
    update svc.batches set logs_read = logs_read - 1, compared = false, updated_at = now() - interval '1 hour'
    where id = (select min(id) from svc.batches where logs_read > 0)`);
  await waitFor(async () => (await metric('reader_differences_total')) === '1', 30, 'told');
  const { rows } = await world.database.pool.query('select from svc.batches where not compared');
  expect(rows).toEqual([]);
});
