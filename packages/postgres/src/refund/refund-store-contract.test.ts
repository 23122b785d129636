import { testRefundStore } from '@svc-pay/core/testing/contracts';
import { describe } from 'vitest';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { createRefundWorld } from '../testing/refund-world.ts';

const { pool } = await createTestDatabase();
const world = createRefundWorld(pool);

describe('refunds in PostgreSQL', () =>
  testRefundStore({
    ...world,
    readPayment: async (paymentId) => {
      const { rows } = await pool.query<{ status: string; refunded: string | null; events: string[] }>(
        `select p.status, p.refunded_amount as refunded,
           array(select e.type::text from svc.events e where e.payment_id = p.id order by e.sequence) as events
         from svc.payments p where p.id = $1`,
        [paymentId],
      );
      const [row] = rows;
      const refunded = row?.refunded ?? null;
      return { status: row?.status, refunded: refunded === null ? null : BigInt(refunded), events: row?.events ?? [] };
    },
    readEntries: async (transactionId) => {
      const { rows } = await pool.query<{ account: string; party: string; amount: string }>(
        'select account_name as account, party, amount from svc.ledger_entries where transaction_id = $1',
        [transactionId],
      );
      return rows.map((row) => ({ ...row, amount: BigInt(row.amount) }));
    },
  }));
