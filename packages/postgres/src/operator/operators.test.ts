import { authenticateOperator } from '@svc-pay/core';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { newOperation, OPERATION_MS, TEST_SECRETS } from '../testing/new-operation.ts';
import { createOperator, disableOperator, findOperator, listOperators } from './operators.ts';

const { pool } = await createTestDatabase();
const operation = newOperation(pool);
const { pepper } = TEST_SECRETS;
let made = 0;
const create = () => {
  made += 1;
  return createOperator(operation, pepper, { name: 'Ada', email: `ada-${made}@example.com` });
};
const ask = (key: string, nowMs = OPERATION_MS) =>
  authenticateOperator({ pepper, findOperator: (index) => findOperator(pool, index, nowMs) }, key);

test('an operator’s key works until the operator is disabled, and is nowhere in the database', async () => {
  const created = await create();
  if (!created.ok) throw new Error(created.code);
  expect(await ask(created.key)).toMatchObject({ ok: true, actor: `operator:${created.id}` });
  const { rows } = await pool.query(
    'select operators::text as row from svc.operators union all select audit::text from svc.audit',
  );
  expect(rows.map(({ row }) => row).join('\n')).not.toContain(created.key.slice(4, -6));
  expect(await disableOperator(operation, created.id)).toBe(true);
  expect(await disableOperator(operation, created.id)).toBe(true);
  expect(await ask(created.key)).toEqual({ ok: false, code: 'key_invalid' });
  expect(await disableOperator(operation, 'op_nobody')).toBe(false);
  const { rows: audited } = await pool.query(
    "select action from svc.audit where account_id = 'platform' and target = $1 order by action",
    [created.id],
  );
  expect(audited).toEqual([{ action: 'operator.created' }, { action: 'operator.disabled' }]);
});

test('one address is one operator', async () => {
  expect(await create()).toMatchObject({ ok: true });
  const again = await createOperator(operation, pepper, { name: 'Eve', email: `ada-${made}@example.com` });
  expect(again).toEqual({ ok: false, code: 'operator_exists' });
});

test('the last use of a key is exact to a minute', async () => {
  const created = await create();
  if (!created.ok) throw new Error(created.code);
  const used = async () => (await listOperators(pool)).find(({ id }) => id === created.id)?.lastUsedAtMs;
  expect(await used()).toBeNull();
  await ask(created.key);
  await ask(created.key, OPERATION_MS + 59_999);
  expect(await used()).toBe(OPERATION_MS);
  await ask(created.key, OPERATION_MS + 60_000);
  expect(await used()).toBe(OPERATION_MS + 60_000);
});
