import { authenticateOperator } from '@svc-pay/core';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { newOperation, OPERATION_MS, TEST_SECRETS } from '../testing/new-operation.ts';
import {
  createOperator,
  disableOperator,
  findOperator,
  findOperatorsUnderOthers,
  listOperators,
  rollOperator,
} from './operators.ts';

const { pool } = await createTestDatabase();
const operation = newOperation(pool);
const pepper = { number: 1, bytes: TEST_SECRETS.pepper };
let made = 0;
const create = () => {
  made += 1;
  return createOperator(operation, pepper, { name: 'Ada', email: `ada-${made}@example.com` });
};
const ask = (key: string, nowMs = OPERATION_MS) =>
  authenticateOperator({ peppers: [pepper.bytes], findOperator: (indexes) => findOperator(pool, indexes, nowMs) }, key);

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

test('a rolled key works beside the next one until the overlap ends, and then never again', async () => {
  const created = await create();
  if (!created.ok) throw new Error(created.code);
  const rolled = await rollOperator(operation, pepper, { id: created.id, overlapMs: 1_000 });
  if (!rolled.ok) throw new Error(rolled.code);
  for (const key of [created.key, rolled.key]) expect(await ask(key, OPERATION_MS + 999)).toMatchObject({ ok: true });
  expect(await ask(created.key, OPERATION_MS + 1_000)).toEqual({ ok: false, code: 'key_invalid' });
  expect(await ask(rolled.key, OPERATION_MS + 1_000)).toMatchObject({ ok: true });
  expect(await rollOperator(operation, pepper, { id: created.id, overlapMs: 1 })).toMatchObject({
    code: 'roll_in_progress',
  });
});

test('without an overlap every earlier key of the operator ends at once, and a disabled operator gets none', async () => {
  const created = await create();
  if (!created.ok) throw new Error(created.code);
  const { id } = created;
  const second = await rollOperator(operation, pepper, { id, overlapMs: 60_000 });
  const third = await rollOperator(operation, pepper, { id, overlapMs: 0 });
  if (!second.ok || !third.ok) throw new Error('not rolled');
  for (const key of [created.key, second.key]) expect(await ask(key)).toEqual({ ok: false, code: 'key_invalid' });
  expect(await ask(third.key)).toMatchObject({ ok: true });
  const last = await rollOperator(operation, pepper, { id, overlapMs: 60_000 });
  if (!last.ok) throw new Error(last.code);
  await disableOperator(operation, id);
  for (const key of [third.key, last.key]) expect(await ask(key)).toEqual({ ok: false, code: 'key_invalid' });
  expect(await rollOperator(operation, pepper, { id, overlapMs: 0 })).toMatchObject({ code: 'operator_disabled' });
  expect(await rollOperator(operation, pepper, { id: 'op_nobody', overlapMs: 0 })).toMatchObject({
    code: 'operator_unknown',
  });
});

test('an operator is under another pepper until each valid key of theirs is not', async () => {
  const created = await create();
  if (!created.ok) throw new Error(created.code);
  const next = { number: 2, bytes: Buffer.alloc(32, 2) };
  const isLeft = async (nowMs: number) =>
    (await findOperatorsUnderOthers(pool, [2, 1], nowMs)).some(({ id }) => id === created.id);
  expect(await isLeft(OPERATION_MS)).toBe(true);
  await rollOperator(operation, next, { id: created.id, overlapMs: 1_000 });
  expect([await isLeft(OPERATION_MS), await isLeft(OPERATION_MS + 1_000)]).toEqual([true, false]);
});
