// Rows that stay in the cell that an account left stop no job and no command of that cell, and what arrives is read before it expires.
import { createSecretBox, type DueReference } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import { expect, test } from 'vitest';
import { closeAccount } from '../account/close-account.ts';
import { resealSecrets } from '../account/reseal-secrets.ts';
import { nameFailing } from '../endpoint/name-failing-endpoints.ts';
import { rehashKeys } from '../operator/rehash-keys.ts';
import { announceActivations } from '../payout/announce-activations.ts';
import { createPayoutRegistryStore } from '../payout/payout-registry-store.ts';
import { erasePayer } from '../privacy/erase-payer.ts';
import { createReferenceStore } from '../reference/reference-store.ts';
import { insertRow } from '../testing/index.ts';
import { createMoveWorld } from '../testing/move-world.ts';
import { newOperation, TEST_MASTER_KEY, TEST_SECRETS } from '../testing/new-operation.ts';
import { adoptCursors } from './hand-over.ts';

const DAY_MS = 86_400_000;

test('the registry of payouts is followed on, without those of an account that moved', async () => {
  const { source, accountId, otherId, move } = await createMoveWorld();
  const { rows } = await source.pool.query('select network, processor from svc.payouts where payout_id = 41');
  const [registry] = rows;
  await source.pool.query("update svc.payouts set status = 'active', compared = false, kind = 'processor'");
  await insertRow(source.pool, 'payouts', {
    account_id: otherId,
    payout_id: 42,
    ...registry,
    status: 'active',
    compared: false,
  });
  expect(await move()).toMatchObject({ ok: true });
  const store = createPayoutRegistryStore(source.pool, 'test');
  const listed = await store.loadPayoutsToMirror(registry, [41n, 42n], -1n, 10);
  expect(listed.map((payout) => payout.accountId)).toEqual([otherId]);
  // Read before the account moved.
  await store.markCompared(registry, [
    ...listed,
    { ...listed[0], accountId, payoutId: '41' } as (typeof listed)[number],
  ]);
  expect(await store.loadPayoutsToMirror(registry, 'uncompared', -1n, 10)).toEqual([]);
});

test('endpoints that fail and direct payouts are told of on, without those of an account that moved', async () => {
  const { source, accountId, otherId, move } = await createMoveWorld();
  const now = Date.now();
  await source.pool.query('update svc.endpoints set failing_since = $1', [new Date(now - 2 * DAY_MS)]);
  await insertRow(source.pool, 'endpoints', {
    account_id: otherId,
    id: 'we_other',
    failing_since: new Date(now - 2 * DAY_MS),
  });
  for (const [payoutId, owner] of [
    [43, accountId],
    [44, otherId],
  ] as const)
    await insertRow(source.pool, 'payouts', {
      account_id: owner,
      payout_id: payoutId,
      kind: 'direct',
      status: 'active',
      asset: '0xa',
      activation: '{}',
      active_from: new Date(now),
      fee_bps: 0,
      splits: '[]',
      processor: `0xw${payoutId}`,
      merchant: `0xw${payoutId}`,
      announced_at: null,
    });
  expect(await move()).toMatchObject({ ok: true });
  expect((await nameFailing(source.pool, ['test', 'live'], now)).map(({ endpointId }) => endpointId)).toEqual([
    'we_other',
  ]);
  const told: string[] = [];
  await announceActivations(source.pool, (notice) => void told.push(notice.accountId), now);
  expect(told).toEqual([otherId]);
});

test('secrets are sealed and keys are hashed anew, and a payer is erased, also where an account has left', async () => {
  const { source, move, options } = await createMoveWorld();
  expect(await move()).toMatchObject({ ok: true });
  const operation = newOperation(source.pool);
  const box = createSecretBox([{ number: 9, bytes: Buffer.alloc(32, 9) }, TEST_MASTER_KEY]);
  expect((await resealSecrets(operation, box, 9)).resealed).toBeGreaterThan(0);
  const peppers = [
    { number: 2, bytes: Buffer.alloc(32, 2) },
    { number: 1, bytes: TEST_SECRETS.pepper },
  ] as const;
  expect((await rehashKeys(operation, { peppers, box, check: false })).rehashed).toBeGreaterThan(0);
  const { rows } = await source.pool.query('select payer from svc.claims where account_id = $1 limit 1', [
    options.accountId,
  ]);
  expect((await erasePayer(operation, rows[0].payer, 'case 1')).erased.claims).toBeGreaterThan(0);
});

test('an account that moves, or has moved, is not closed', async () => {
  const { source, accountId, operation, move } = await createMoveWorld();
  await source.pool.query("update svc.accounts set status = 'moving' where id = $1", [accountId]);
  expect(await closeAccount(operation, accountId, { now: true })).toEqual({ ok: false, code: 'account_moving' });
  await source.pool.query("update svc.accounts set status = 'active' where id = $1", [accountId]);
  expect(await move()).toMatchObject({ ok: true });
  expect(await closeAccount(operation, accountId, { now: true })).toEqual({ ok: false, code: 'account_moved' });
});

test('what a cell has read of a ledger counts only up to where its cursor goes back', async () => {
  const { target } = await createMoveWorld();
  const cursor = { network: 'icp:1', ledger: 'ryjl3-tyaaa-aaaaa-aaaba-cai', last_hash: null };
  const [early, late] = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'];
  const adopt = async (read_at: string | null) => {
    await target.pool.query('delete from svc.icrc_cursors');
    await target.pool.query(
      'insert into svc.icrc_cursors (network, ledger, next_index, read_at) values ($1, $2, 200, $3)',
      [cursor.network, cursor.ledger, late],
    );
    const client = await target.pool.connect();
    await adoptCursors(client, { reader: [], blocks: [], ledgers: [{ ...cursor, next_index: 100, read_at }] });
    client.release();
    return (await target.pool.query('select next_index, read_at from svc.icrc_cursors')).rows;
  };
  expect(await adopt(early)).toEqual([{ next_index: '100', read_at: new Date(early) }]);
  expect(await adopt(null)).toEqual([{ next_index: '100', read_at: null }]);
});

test('a cursor that arrives is fresh, and comes with the blocks by which a reorg is found', async () => {
  const { source, target, move } = await createMoveWorld();
  const { rows } = await source.pool.query('select network from svc.reader_cursors');
  const network = rows[0]?.network;
  await source.pool.query("update svc.reader_cursors set updated_at = now() - interval '1 day'");
  await source.pool.query("insert into svc.reader_blocks values ($1, 1990, '0x7c6', 90)", [network]);
  expect(await move()).toMatchObject({ ok: true });
  const { rows: blocks } = await target.pool.query('select block_number from svc.reader_blocks order by 1');
  expect(blocks.map(({ block_number }) => block_number)).toEqual(['1990', '2000']);
  const { rows: cursors } = await target.pool.query(
    "select updated_at > now() - interval '1 minute' as fresh from svc.reader_cursors",
  );
  expect(cursors).toEqual([{ fresh: true }]);
});

test('a Solana reference that is read between the two commits arrives with the cursor from before it', async () => {
  const { source, target, accountId, move } = await createMoveWorld();
  // As a call leaves it that is killed between them.
  const references = createReferenceStore(source.pool);
  const load = () => references.loadDue('solana:x' as NetworkId, Date.now(), 10);
  const [due] = await load();
  await source.pool.query("update svc.accounts set status = 'moving' where id = $1", [accountId]);
  await source.pool.query("update svc.accounts set status = 'moved' where id = $1", [accountId]);
  await source.pool.query(
    `insert into svc.account_moves (account_id, target_prefix, cursors, begun_at, moved_at)
     select $1, $2, '{"reader": [], "blocks": [], "ledgers": []}', now(), now()`,
    [
      accountId,
      (await target.pool.query('select intent_code_prefix from svc.installation')).rows[0].intent_code_prefix,
    ],
  );
  expect(await load()).toEqual([]);
  const read = { cursor: 'behind the payment', waitsSinceMs: null, wholeSinceMs: Date.now() };
  await references.noteRead(due as DueReference, { ...read, nextReadAtMs: Date.now() });
  await references.noteRead(due as DueReference, { ...read, nextReadAtMs: null });
  expect(await move()).toMatchObject({ ok: true });
  const { rows } = await target.pool.query('select cursor, read_at from svc.payment_references');
  expect(rows).toEqual([{ cursor: due?.cursor ?? null, read_at: null }]);
});
