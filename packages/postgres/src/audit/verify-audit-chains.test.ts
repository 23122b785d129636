import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { newAccount, newOperation } from '../testing/new-operation.ts';
import { enableTokens } from '../token/account-tokens.ts';
import { sealAuditChains } from './seal-audit-chains.ts';
import { verifyAuditChains } from './verify-audit-chains.ts';

const { pool } = await createTestDatabase();
const operation = newOperation(pool);

async function sealedAccount(): Promise<string> {
  const { id } = await newAccount(operation);
  await enableTokens(operation, { accountId: id, mode: 'test', shortcodes: ['anvil_usdc', 'basesepolia_usdc'] });
  await sealAuditChains(pool, id);
  return id;
}

/** Changes rows as the database's owner could. */
async function tamper(statement: string, values: readonly unknown[]): Promise<void> {
  await pool.query('alter table svc.audit disable trigger user');
  const { rowCount } = await pool.query(statement, [...values]);
  await pool.query('alter table svc.audit enable trigger user');
  expect(rowCount).toBe(1);
}

test('what operators did is sealed once, over both modes, and verifies to the end on record', async () => {
  const { id } = await newAccount(operation);
  const sealed = await sealAuditChains(pool, id);
  expect(sealed.map(({ mode, sealed: count }) => [mode, count])).toEqual([
    ['test', 3],
    ['live', 3],
  ]);
  expect(await sealAuditChains(pool, id)).toEqual([]);
  const chains = await verifyAuditChains(pool, id);
  expect(chains.map(({ verified, unsealed, fault }) => ({ verified, unsealed, fault }))).toEqual([
    { verified: 3, unsealed: 0, fault: null },
    { verified: 3, unsealed: 0, fault: null },
  ]);
  expect(chains[0]?.headHash).toMatch(/^[0-9a-f]{64}$/);
});

test('a chain longer than a page verifies, and a fault behind the first page is found', async () => {
  const id = await sealedAccount();
  await pool.query(
    `insert into svc.audit (account_id, mode, id, actor, action, target, created_at)
     select $1, 'test', 'aud_' || lpad(n::text, 26, '0'), 'operator:ada', 'probe', n::text, now() from generate_series(1, 1200) n`,
    [id],
  );
  await sealAuditChains(pool, id);
  const [chain] = await verifyAuditChains(pool, id);
  expect(chain).toMatchObject({ verified: 1_205, fault: null });
  await tamper(`update svc.audit set target = 'x' where account_id = $1 and sequence = 1100`, [id]);
  const [after] = await verifyAuditChains(pool, id);
  expect(after).toMatchObject({ verified: 1_099, fault: { sequence: '1100', fault: 'content' } });
});

test.each([
  [
    'changed',
    'content',
    `update svc.audit set actor = 'operator:eve' where account_id = $1 and mode = 'test' and sequence = 2`,
  ],
  ['taken out of the middle', 'gap', `delete from svc.audit where account_id = $1 and mode = 'test' and sequence = 2`],
  ['cut off the end', 'end', `delete from svc.audit where account_id = $1 and mode = 'test' and sequence = 5`],
])('a row that was %s is named', async (_, fault, statement) => {
  const id = await sealedAccount();
  await tamper(statement, [id]);
  const [test_, live] = await verifyAuditChains(pool, id);
  expect(test_?.fault).toMatchObject({ fault, id: expect.stringMatching(/^aud_/) });
  expect(live?.fault).toBeNull();
});
