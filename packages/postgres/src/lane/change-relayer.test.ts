import type { NetworkId } from '@svc-pay/protocol';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { createLaneWorld } from '../testing/lane-world.ts';
import { newOperation } from '../testing/new-operation.ts';
import { changeRelayer } from './change-relayer.ts';
import { fallAsleep, heartbeat, takeOver } from './lane-fence.ts';
import { registerRelayer } from './relayers.ts';

test('a relayer retires once it is drained and nothing depends on its key: no batch, no payment bound to it', async () => {
  const lane = await createLaneWorld((await createTestDatabase()).pool);
  const { network, relayer: address } = lane.lane;
  const change = (status: 'active' | 'draining' | 'retired') =>
    changeRelayer(newOperation(lane.pool), { network, address, status });
  expect(await change('retired')).toEqual({ ok: false, code: 'relayer_not_draining' });
  await lane.queue(2);
  await lane.pool.query(
    'update svc.settlements set bound_relayer = $1 where number = (select min(number) from svc.settlements)',
    [address],
  );
  expect(await change('draining')).toEqual({ ok: true, before: 'active', changed: true });
  expect(await change('retired')).toEqual({ ok: false, code: 'relayer_has_unfinished', unfinished: 1 });
  await change('active');
  await lane.settle();
  expect(await change('draining')).toEqual({ ok: true, before: 'active', changed: true });
  expect(await change('retired')).toMatchObject({ code: 'relayer_has_unfinished' });
  await lane.pool.query("update svc.batches set status = 'finalized'");
  expect(await change('retired')).toEqual({ ok: true, before: 'draining', changed: true });
  expect(await change('retired')).toEqual({ ok: true, before: 'retired', changed: false });
  const audited = await lane.pool.query(
    "select count(*)::integer as count from svc.audit where action like 'relayer.%'",
  );
  expect(audited.rows).toEqual([{ count: 4 }]);
});

test('a relayer does not retire while a payer may sign what names it: a transaction for two minutes, a text for six', async () => {
  const { pool, lane } = await createLaneWorld((await createTestDatabase()).pool);
  const { network, relayer: address } = lane;
  const nowMs = Date.now();
  const retire = (afterMinutes: number) =>
    changeRelayer(
      { ...newOperation(pool), nowMs: nowMs + afterMinutes * 60_000 },
      { network, address, status: 'retired' },
    );
  await changeRelayer(newOperation(pool), { network, address, status: 'draining' });
  const prepared = (blockhash: string, transfer: object) =>
    pool.query(
      `insert into svc.prepared_transfers (account_id, mode, intent_id, payer, blockhash, position, network, relayer, transfer,
         message_hash, wire, created_at)
       values ('acct_1', 'test', 'pi_1', 'payer', $1, 0, $2, $3, $4, sha256('m'), 'wire', to_timestamp($5::float8 / 1000))`,
      [blockhash, network, address, transfer, nowMs],
    );
  await prepared('transaction', { relayer: address });
  await prepared('text', { relayer: address, program: 'program' });
  const refused = (unfinished: number) => ({ ok: false, code: 'relayer_has_unfinished', unfinished });
  expect([await retire(1), await retire(3), await retire(5.9)]).toEqual([refused(2), refused(1), refused(1)]);
  expect(await retire(6.1)).toEqual({ ok: true, before: 'draining', changed: true });
});

test('a relayer does not retire while a merchant may submit a refund that names it, nor while that refund is queued', async () => {
  const { pool } = await createTestDatabase();
  const [network, address, nowMs] = ['solana:devnet' as NetworkId, 'relayer', Date.now()];
  await registerRelayer(pool, { network, relayer: address, mode: 'test', duty: 'settle' }, async () => 0n, nowMs);
  const operationAt = (minutes: number) => newOperation(pool, nowMs + minutes * 60_000);
  const retire = (afterMinutes: number) =>
    changeRelayer(operationAt(afterMinutes), { network, address, status: 'retired' });
  await changeRelayer(operationAt(0), { network, address, status: 'draining' });
  const names = ['tokenProgram', 'decimals', 'blockhash', 'reference', 'sourceAccount', 'destinationAccount'];
  const transfer = (relayer: string) => ({
    ...Object.fromEntries(names.map((name) => [name, name])),
    relayer,
    lastValidBlockHeight: '9',
    slot: '9',
  });
  const prepared = (id: string, relayer: string) =>
    pool.query(
      `insert into svc.refunds (account_id, mode, id, payment_id, intent_id, intent_code, kind, status, sequence, network, asset,
         token_shortcode, amount, wallet, recipient, nonce, transfer, bound_relayer, created_at, expires_at, updated_at)
       values ('acct_1', 'test', $1, $1, 'pi_1', 1, 'transaction', 'prepared', 1, $2, 'mint', 'soldevnet_usdc', 1, 'wallet', 'payer',
         sha256('n'), $3, $4, to_timestamp($5::float8 / 1000), to_timestamp($5::float8 / 1000) + interval '55 seconds',
         to_timestamp($5::float8 / 1000))`,
      [id, network, transfer(relayer), relayer, nowMs],
    );
  await prepared('re_1', address);
  await prepared('re_2', 'another');
  const refused = { ok: false, code: 'relayer_has_unfinished', unfinished: 1 };
  expect([await retire(0), await retire(1.5)]).toEqual([refused, refused]);
  const change = (to: string) => pool.query(`update svc.refunds set ${to} where id = 're_1'`);
  await change("status = 'queued', signature = 'signed', reserved = 1, submitted_at = now()");
  expect(await retire(60)).toEqual(refused);
  // Prepared, and never submitted.
  await change("status = 'prepared', signature = null, reserved = 0, submitted_at = null");
  expect(await retire(2)).toEqual({ ok: true, before: 'draining', changed: true });
});

test('a wake-up that comes after the only relayer retired finds no share of the queue and falls asleep', async () => {
  const { pool, lane } = await createLaneWorld((await createTestDatabase()).pool);
  const { network, relayer: address } = lane;
  for (const status of ['draining', 'retired'] as const)
    expect(await changeRelayer(newOperation(pool), { network, address, status })).toMatchObject({ ok: true });
  const lease = { ...lane, epoch: await takeOver(pool, lane, 1) };
  expect(await heartbeat(pool, lease, 2)).toMatchObject({ open: false, share: undefined });
  expect(await fallAsleep(pool, lease)).toBe(true);
});

test('a relayer that the database does not know is not changed', async () => {
  const { pool } = await createTestDatabase();
  const unknown = { network: 'eip155:84532', address: `0x${'5e'.repeat(20)}`, status: 'active' } as const;
  expect(await changeRelayer(newOperation(pool), unknown)).toEqual({ ok: false, code: 'relayer_unknown' });
});
