import { startChain } from '@svc-pay/evm/testing';
import { createTestDatabase } from '@svc-pay/postgres/testing';
import { afterAll, expect, test } from 'vitest';
import { chainFitsDatabase } from './chain-fits-database.ts';

const chain = await startChain();
afterAll(() => chain.stop());

test('a chain fits until the database knows of a transaction that the chain does not have', async () => {
  const { pool } = await createTestDatabase();
  const fits = () => chainFitsDatabase({ pool }, chain);
  expect(await fits()).toBe(true);
  const relayer = chain.keys.relayers[0]!.account.address.toLowerCase();
  await pool.query(
    `insert into svc.relayers (network, address, mode, next_nonce, status, updated_at)
     values ($1, $2, 'test', 1, 'active', now())`,
    [chain.network, relayer],
  );
  await pool.query(
    `insert into svc.batches (id, network, relayer, mode, nonce, epoch, status, item_count, transaction_id, created_at, updated_at)
     values ('batch', $1, $2, 'test', 0, 0, 'broadcast', 1, 'unknown', now(), now())`,
    [chain.network, relayer],
  );
  // A broadcast batch is not mined yet and can be sent again.
  expect(await fits()).toBe(true);
  await pool.query(`update svc.batches set status = 'mined'`);
  expect(await fits()).toBe(false);
});
