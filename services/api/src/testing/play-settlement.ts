// Plays the settlement service with SQL: records broadcasts and payment results.
import { insertRow, type TestDatabase } from '@svc-pay/postgres/testing';
import { newId } from '@svc-pay/protocol/ids';

type Pool = TestDatabase['pool'];

export const TRANSACTION = `0x${'7a'.repeat(32)}`;

const LANE = { network: 'eip155:31337', relayer: `0x${'4e'.repeat(20)}` };

/** Puts the intent's pending payment into a broadcast transaction. */
export async function playBroadcast(pool: Pool, intentId: string, { network, relayer } = LANE): Promise<void> {
  const id = newId('batch', Date.now());
  await pool.query(
    `insert into svc.relayers (network, address, mode, next_nonce, status, updated_at)
     values ($2, $1, 'test', 0, 'active', now()) on conflict do nothing`,
    [relayer, network],
  );
  const { rows } = await pool.query('select count(*)::integer as nonce from svc.batches');
  await insertRow(pool, 'batches', {
    id,
    network,
    relayer,
    nonce: rows[0].nonce,
    status: 'broadcast',
    transaction_id: TRANSACTION,
  });
  await pool.query(
    "update svc.settlements set status = 'batched', relayer = $2, batch_id = $3 where intent_id = $1 and status = 'queued'",
    [intentId, relayer, id],
  );
  await pool.query(
    "update svc.payments set transaction_id = $2, created_event = true where intent_id = $1 and status = 'pending'",
    [intentId, TRANSACTION],
  );
}

export async function playCompletion(pool: Pool, intentId: string): Promise<void> {
  await pool.query(
    `with ended as (
       update svc.payments set status = 'completed', paid_amount = amount, completed_at = now(), transaction_id = $2,
         transaction_split_id = $2 || ':3', external_cost_amount = 1234
       where intent_id = $1 and status = 'pending'
     )
     update svc.intents set status = 'completed' where id = $1`,
    [intentId, TRANSACTION],
  );
}

/** The batch of the intent's payment becomes final, unless told otherwise. Answers the payment. */
export async function playFinality(pool: Pool, intentId: string, final = true): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `with ended as (
       update svc.batches b set status = 'finalized' from svc.settlements s
       where s.intent_id = $1 and s.batch_id = b.id and $2
     )
     select id from svc.payments where intent_id = $1`,
    [intentId, final],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('no payment was claimed');
  return row.id;
}

/** Fails the payment: no money moved, and another payment may pay the intent. */
export async function playFailure(pool: Pool, intentId: string, code: string): Promise<void> {
  await pool.query(
    `with ended as (
       update svc.payments set status = 'failed', failure_code = $2 where intent_id = $1 and status = 'pending'
     )
     update svc.intents set status = 'requires_payment' where id = $1`,
    [intentId, code],
  );
}
