// The stores of the settlement service over Postgres as the contract suites of core see them.
import type { StoredRows, StoreHarness } from '@svc-pay/core/testing/contracts';
import { evmNetwork } from '@svc-pay/protocol';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { recordConfirmation } from '../settlement/record-upto-confirmation.ts';
import { createSettlementStores } from '../settlement-stores.ts';
import { confirmationFor, uptoIntent } from './confirm-upto.ts';
import { createTestDatabase } from './create-test-database.ts';
import { queuePayment } from './queue-payment.ts';
import { queueRefund } from './queue-refund.ts';
import { seedMerchant } from './seed-merchant.ts';

const NETWORK = evmNetwork(84_532);
const FIRST_NONCE = 7n;

export async function createPostgresHarness(): Promise<StoreHarness & { readonly pool: pg.Pool }> {
  const { pool } = await createTestDatabase();
  let nowMs = Date.now();
  const clock = { nowMs: () => nowMs };
  const caller = await seedMerchant(pool, { tokens: ['basesepolia_usdc'] });
  const database = { pool, url: '', ping: async () => {}, close: async () => {} };
  const stores = createSettlementStores(database, {
    checkPayout: async () => 'good',
    clock,
    gasCoinRate: () => undefined,
    processorVersion: () => '1.3.0',
  });
  const laneOf = (byte: string) => ({ network: NETWORK, relayer: `0x${byte.repeat(20)}` });
  const [one, two, recovery] = [laneOf('5e'), laneOf('6e'), laneOf('7e')];
  const register = (lane: typeof one, duty: 'settle' | 'resolve_stranded') =>
    stores.registerRelayer({ ...lane, mode: 'test', duty }, async () => FIRST_NONCE);
  await register(one, 'settle');
  await register(two, 'settle');
  await register(recovery, 'resolve_stranded');
  return {
    pool,
    network: NETWORK,
    lanes: [one, two],
    recovery,
    settling: stores.lanes,
    resolving: stores.strandedTransfers,
    finality: stores.finality,
    stranded: stores.stranded,
    findForgottenLanes: stores.findForgottenLanes,
    nowMs: clock.nowMs,
    pass: (ms) => {
      nowMs += ms;
    },
    queuePayment: async () => {
      nowMs += 1;
      return (await queuePayment(pool, caller, { nowMs })).paymentId;
    },
    queueRefund: (paymentId) => queueRefund(pool, paymentId, nowMs),
    confirmUpto: async () => {
      const intentId = await uptoIntent(pool, caller);
      await recordConfirmation(pool, await confirmationFor(pool, caller, intentId, { nowMs }));
      return intentId;
    },
    settleUpto: async (intentId, settledAtomic) => {
      const began = await stores.beginUpto({
        ...caller,
        intentId: intentId as Id<'paymentIntent'>,
        settledAtomic,
        keyId: null,
      });
      if (!began.ok) throw new Error(began.code);
      return began.paymentId;
    },
    cancelIntent: async (intentId) => {
      await pool.query("update svc.intents set status = 'canceled', version = version + 1 where id = $1", [intentId]);
    },
    read: () => readDatabase(pool),
  };
}

export async function readDatabase(pool: pg.Pool): Promise<StoredRows> {
  const rows = async (text: string) => (await pool.query<Record<string, unknown>>(text)).rows;
  const [payments, entries, losses, batches, events, stranded, refunds] = await Promise.all([
    rows(`
      select p.id, p.status, p.transaction_id as transaction, p.transaction_split_id as split, p.paid_amount as paid,
        p.fee_amount as fee, p.refund_amount as refund, p.paid_total as "paidTotal",
        p.refund_due_amount as "refundDue", p.requested_amount as requested, p.splits, p.failure_code as failure,
        s.status as settlement, s.relayer, s.batch_id as batch, s.batch_limit as limit, s.refusal,
        i.id as intent, i.status as "intentStatus", i.payment_id is not distinct from p.id as named
      from svc.payments p join svc.settlements s on s.payment_id = p.id join svc.intents i on i.id = p.intent_id
      order by s.number`),
    rows(`
      select payment_id as payment, asset, account_name as account, party, amount, transaction_id as transaction,
        reverses is null and not exists (select from svc.ledger_entries back where back.reverses = e.id) as live
      from svc.ledger_entries e order by e.id`),
    rows(`
      select batch_id as batch, payment_id as payment, cause, amount, transaction_id as transaction,
        reverses is null and not exists (select from svc.gas_losses back where back.reverses = l.id) as live
      from svc.gas_losses l order by l.id`),
    rows(`
      select id, status, transaction_id as transaction, gas_booked as "gasBooked" from svc.batches order by id`),
    rows('select intent_id as intent, sequence, type from svc.events order by created_at, intent_id, sequence'),
    rows(`
      select intent_id as intent, payment_id as payment, action, status, reason, batch_id as batch
      from svc.stranded_transfers order by number`),
    rows(`
      select id, status, batch_id as batch, transaction_id as transaction, refusal from svc.refunds order by number`),
  ]);
  const amounts = (row: Record<string, unknown>) => ({ ...row, amount: BigInt(row['amount'] as string) });
  const amountOf = (value: unknown) => (value === null ? null : BigInt(value as string));
  const read = {
    payments: payments.map((row) => ({
      ...row,
      paid: amountOf(row['paid']),
      fee: amountOf(row['fee']),
      refund: amountOf(row['refund']),
      paidTotal: amountOf(row['paidTotal']),
      refundDue: amountOf(row['refundDue']),
      requested: amountOf(row['requested']),
    })),
    entries: entries.map(amounts),
    losses: losses.map(amounts),
    batches,
    events,
    stranded,
    refunds,
  };
  return read as unknown as StoredRows;
}
