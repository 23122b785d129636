import { sealAudit, verifyChain } from '@svc-pay/core';
import { expect, test } from 'vitest';
import { inTransaction } from '../database/in-transaction.ts';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { seedMerchant } from '../testing/seed-merchant.ts';
import { createSealAuditPorts, readSealed } from './seal-audit-store.ts';
import { writeAudit } from './write-audit.ts';

const { pool } = await createTestDatabase();
const ports = createSealAuditPorts(pool, 'test');

async function accountWithActions(actions: number): Promise<string> {
  const { accountId } = await seedMerchant(pool);
  await inTransaction(pool, async (client) => {
    for (let index = 0; index < actions; index += 1) {
      const entry = { accountId, mode: 'test', actor: 'operator:ada', action: 'key.created', target: `key_${index}` };
      await writeAudit(client, 1_763_164_800_000 + index, { ...entry, detail: { z: 1, a: index } });
    }
  });
  return accountId;
}

test('actions are sealed in order, by any number of sealers at once, each once', async () => {
  const accountId = await accountWithActions(25);
  const sealed = await Promise.all(Array.from({ length: 4 }, () => sealAudit(ports, accountId, 10)));
  expect(sealed.reduce((total, count) => total + count, 0)).toBe(25);
  expect(await sealAudit(ports, accountId)).toBe(0);
  const chain = await readSealed(pool, accountId, 'test', 0n, 100);
  expect(chain.map(({ sequence }) => Number(sequence))).toEqual(Array.from({ length: 25 }, (_, index) => index + 1));
  expect(verifyChain(chain)).toBeUndefined();
});

test('a chain can be verified page by page', async () => {
  const accountId = await accountWithActions(7);
  await sealAudit(ports, accountId);
  const head = await readSealed(pool, accountId, 'test', 0n, 4);
  const tail = await readSealed(pool, accountId, 'test', 4n, 4);
  expect(verifyChain(tail, head.at(-1))).toBeUndefined();
});

test('a row changed behind the service’s back is found', async () => {
  const accountId = await accountWithActions(3);
  await sealAudit(ports, accountId);
  await expect(
    pool.query("update svc.audit set action = 'nothing' where account_id = $1", [accountId]),
  ).rejects.toThrow('append-only');
  // The database's owner can switch the trigger off; the chain still shows the change.
  await inTransaction(pool, async (client) => {
    await client.query('set local session_replication_role = replica');
    await client.query("update svc.audit set action = 'nothing' where account_id = $1 and sequence = 2", [accountId]);
  });
  expect(verifyChain(await readSealed(pool, accountId, 'test', 0n, 10))).toMatchObject({
    sequence: 2n,
    fault: 'content',
  });
});
