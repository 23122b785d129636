import { isPayable } from '@svc-pay/core';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { idAt } from '../testing/id-at.ts';
import { newAccount, newOperation, OPERATION_MS } from '../testing/new-operation.ts';
import { insertRow } from '../testing/sample-rows.ts';
import { expireIntent, expireIntents, loadOverdueIntents } from './expire-intents.ts';

const TIMES = [OPERATION_MS - 1, OPERATION_MS, OPERATION_MS + 1];

async function unpaidIntents() {
  const { pool } = await createTestDatabase();
  const { id: account_id } = await newAccount(newOperation(pool));
  for (const [index, expiresAtMs] of TIMES.entries()) {
    for (const [step, status] of ['requires_payment', 'processing'].entries()) {
      const intent_code = 10 + 2 * index + step;
      const id = idAt('pi', OPERATION_MS, String(intent_code));
      await insertRow(pool, 'intents', { account_id, id, intent_code, status, expires_at: new Date(expiresAtMs) });
    }
  }
  const statuses = async () =>
    (await pool.query<{ status: string }>('select status from svc.intents order by intent_code')).rows.map(
      ({ status }) => status,
    );
  return { pool, statuses };
}

/** What must become of the intents, by the rule of core: unpaid ones that are not payable any more are canceled. */
const EXPECTED = TIMES.flatMap((expiresAtMs) => [
  isPayable({ status: 'requires_payment', expiresAtMs }, OPERATION_MS) ? 'requires_payment' : 'canceled',
  'processing',
]);

test('exactly the unpaid intents that are not payable any more expire, at the same millisecond', async () => {
  const { pool, statuses } = await unpaidIntents();
  expect(await expireIntents(pool, OPERATION_MS, 10)).toBe(2);
  expect(await statuses()).toEqual(EXPECTED);
});

test('one by one the same intents expire', async () => {
  const { pool, statuses } = await unpaidIntents();
  for (const overdue of await loadOverdueIntents(pool, OPERATION_MS + 1, undefined, 10)) {
    await expireIntent(pool, overdue, OPERATION_MS);
  }
  expect(await statuses()).toEqual(EXPECTED);
});
