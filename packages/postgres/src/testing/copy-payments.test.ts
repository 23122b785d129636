import { checkBooks, createFindings } from '@svc-pay/core';
import { expect, test } from 'vitest';
import { withBooks } from '../ledger/open-books.ts';
import { copyPayments } from './copy-payments.ts';
import { createTestDatabase } from './create-test-database.ts';
import { openListMeter } from './listed-payments.ts';
import { seedModelPayments } from './model-payments.ts';

test('the books of copied payments hold, and each payment has a copy of its own', async () => {
  const { pool, url } = await createTestDatabase();
  const { accountId, otherId, relayer, own, all } = await seedModelPayments(pool);
  await copyPayments(pool, { accountIds: [accountId, otherId], relayer, copies: 49, secondsApart: 60 });
  const findings = createFindings(null, ['entries', 'statuses'], 1_000);
  await withBooks(pool, (books) => checkBooks(books, findings));
  expect(findings.lines().flatMap(({ differences }) => differences)).toEqual([]);
  expect(findings.lines()[0]?.looked).toBe(all * 50);
  const { rows } = await pool.query(
    `select count(*)::integer as payments, count(distinct status)::integer as statuses,
       (select count(*)::integer from svc.ledger_bookings where account_id = $1) as bookings,
       (select count(distinct payment_id)::integer from svc.ledger_entries where account_id = $1) as booked
     from svc.payments where account_id = $1`,
    [accountId],
  );
  expect(rows[0]).toEqual({ payments: own * 50, statuses: 4, bookings: expect.any(Number), booked: (own - 2) * 50 });
  const meter = await openListMeter(url);
  const caller = { accountId, mode: 'test', kind: 'secret', keyId: 'key_a' } as never;
  const page = { limit: 100 };
  expect(await meter.measure({ name: 'payments', caller, payments: {}, page })).toMatchObject({ given: 100 });
  expect(await meter.measure({ name: 'intents', caller, intents: {}, page })).toMatchObject({ given: 100 });
  await meter.close();
});
