import { createStrandedStore } from '@svc-pay/postgres/settlement-service';
import { createTestDatabase } from '@svc-pay/postgres/testing';
import { expect, onTestFinished, test } from 'vitest';
import { createSolanaLaneWorld } from '../testing/lane-world.ts';
import { queueText } from '../testing/queue-text.ts';
import { createRentCollector } from './collect-rent.ts';

test('rent that receipts were lent comes back when their texts are over, and only then are those closed', async () => {
  const { pool } = await createTestDatabase();
  const lane = await createSolanaLaneWorld(pool);
  onTestFinished(() => lane.chain.stop());
  const { ledger } = lane.chain;
  const { relayer } = lane.actors;
  ledger.unixSeconds = BigInt(Math.floor(Date.now() / 1_000));
  const lamports = () => ledger.account(relayer.address)?.lamports ?? 0n;
  for (let count = 0; count < 10; count += 1) await queueText(lane);
  // A payment that never lands has no receipt.
  await queueText(lane, { approvedAtomic: 0n });
  await lane.settle();
  const before = lamports();
  let laterMs = 0;
  const { run } = createRentCollector(
    { network: lane.lane.network, mode: 'test', nodes: [lane.node], gasCoin: undefined },
    {
      stranded: createStrandedStore(pool),
      clock: { nowMs: () => Date.now() + laterMs },
      relayers: [relayer],
      log: () => {},
    },
  );
  const open = async () => (await pool.query('select from svc.authorizations where closed_at is null')).rowCount;
  await run();
  expect([await open(), lamports()]).toEqual([11, before]);

  laterMs = 400_000;
  ledger.unixSeconds += 400n;
  ledger.advance(1n);
  await run();
  // The closing transaction is sent; the authorization stays open until its receipt is gone.
  expect(await open()).toBe(10);
  ledger.advance(2n);
  await run();
  expect(await open()).toBe(0);
  // Two transactions with one signature each, and their priority fees.
  expect(lamports() - before).toBe(10n * 890_880n - 2n * (5_000n + 800n));
});
