// Two cells: one with an account that has rows in every table that moves, and another account beside it; one with an account of
// its own, under the same secrets.
import { checkBooks, checkOverview, createFindings, createSecretBox, newKey } from '@svc-pay/core';
import { type Id, newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { createKey } from '../account/create-key.ts';
import { openDatabase } from '../database/open-database.ts';
import { withBooks } from '../ledger/open-books.ts';
import { abortMove, type MoveOptions, moveAccount } from '../move/move-account.ts';
import { afterwards } from './afterwards.ts';
import { createTestDatabase } from './create-test-database.ts';
import { idAt } from './id-at.ts';
import { seedModelPayments } from './model-payments.ts';
import { newAccount, newOperation, TEST_MASTER_KEY, TEST_SECRETS } from './new-operation.ts';
import { insertRow, NOW } from './sample-rows.ts';
import { PROCESSOR } from './seed-merchant.ts';

const NETWORK = 'eip155:84532';
export const LATE_CODE = 777;
const UNPAID_CODE = 778;

export async function createMoveWorld() {
  const [source, target] = [await createTestDatabase(), await createTestDatabase()];
  await target.pool.query('update svc.installation set id = $1', [await installationOf(source.pool)]);
  // Ways of the other cell have numbers of their own.
  await seedWay(target.pool, 'another_usdc');
  const neighbour = await newAccount(newOperation(target.pool), 'A neighbour');
  const { accountId, otherId } = await seedModelPayments(source.pool);
  const key = newKey(TEST_SECRETS, { accountId, mode: 'test' }, 'secret', NOW.getTime());
  await createKey(newOperation(source.pool), key.record);
  await seedRest(source.pool, accountId);
  const operation = newOperation(asCommand(source.url, 2), Date.now());
  const secrets = {
    peppers: [{ number: 1, bytes: TEST_SECRETS.pepper }] as const,
    box: createSecretBox([TEST_MASTER_KEY]),
  };
  const options: MoveOptions = { accountId, target: asCommand(target.url, 3), secrets };
  return {
    source,
    target,
    accountId,
    otherId,
    neighbourId: neighbour.id,
    keyText: key.text,
    operation,
    options,
    move: (change: Partial<MoveOptions> = {}) => moveAccount(operation, { ...options, ...change }),
    abort: () => abortMove(operation, accountId),
  };
}

/** The pool of the command. */
function asCommand(url: string, maxConnections: number): pg.Pool {
  const options = { applicationName: 'svc-operator', statementTimeoutMs: 60_000, onConnectionLost: () => {} };
  const { pool, close } = openDatabase(url, { ...options, maxConnections });
  afterwards(close);
  return pool;
}

export type MoveWorld = Awaited<ReturnType<typeof createMoveWorld>>;

async function installationOf(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ id: string }>('select id from svc.installation');
  return rows[0]?.id ?? '';
}

async function seedWay(pool: pg.Pool, shortcode: string): Promise<void> {
  await pool.query(
    `insert into svc.late_ways (scheme, network, token_shortcode, asset, pay_to, payout_id, confirmations)
     values ('exact', $1, $2, '0xa', '0xb', 1, 1)`,
    [NETWORK, shortcode],
  );
}

/** What the model payments lack: everything has ended, and each table that moves has a row. */
async function seedRest(pool: pg.Pool, accountId: Id<'account'>): Promise<void> {
  const own = { account_id: accountId };
  // The model has no booking for it, which a check of the figures tells.
  await pool.query("delete from svc.payment_changes where status = 'mismatched'");
  await pool.query("delete from svc.payments where status = 'mismatched'");
  await pool.query("update svc.batches set status = 'finalized'");
  await pool.query('update svc.authorizations set closed_at = now()');
  await pool.query(
    "update svc.settlements set status = 'failed' where status in ('queued', 'held', 'batched', 'mined')",
  );
  await pool.query("insert into svc.account_modes (account_id, mode) values ($1, 'live') on conflict do nothing", [
    accountId,
  ]);
  await insertRow(pool, 'account_tokens', own);
  await insertRow(pool, 'payouts', { ...own, payout_id: 41, processor: PROCESSOR });
  await insertRow(pool, 'metadata_keys', own);
  const intentId = newId('paymentIntent', NOW.getTime());
  const unpaid = { ...own, intent_id: intentId };
  await insertRow(pool, 'intents', {
    ...own,
    id: intentId,
    intent_code: UNPAID_CODE,
    metadata: '{"order":  "1\\u00e9","n":1.50}',
    expires_at: new Date(Date.now() - 1_000),
  });
  await insertRow(pool, 'intent_codes', { ...unpaid, intent_code: UNPAID_CODE });
  await insertRow(pool, 'intent_metadata', unpaid);
  await insertRow(pool, 'acceptances', { ...unpaid, amount: (2n ** 200n).toString() });
  await insertRow(pool, 'attempts', unpaid);
  await insertRow(pool, 'authorizations', { ...unpaid, closed_at: NOW });
  await insertRow(pool, 'claims', unpaid);
  await insertRow(pool, 'intent_codes', { ...own, intent_code: LATE_CODE, intent_id: idAt('pi', 1) });
  await seedWay(pool, 'basesepolia_usdc');
  await pool.query(
    `insert into svc.late_terms (intent_code, expires_at, ways, amounts)
     select $1, now(), array[id, id], '{5,6}' from svc.late_ways`,
    [LATE_CODE],
  );
  await pool.query(`insert into svc.x402_processor_sellers values ($1, 'test', now());`, [accountId]);
  await pool.query(
    `insert into svc.x402_leases (claim_key, account_id, mode, network, asset, payer, recipient, amount, valid_before, call, call_at)
     values (decode(repeat('0a', 32), 'hex'), $1, 'test', $2, '0xa', '0xb', '0xc', 5, 1, 1, now())`,
    [accountId, NETWORK],
  );
  await pool.query(
    `insert into svc.refused_authorizations (account_id, mode, intent_id, claim_key, network, asset, payer, recipient, payout_id,
       position, amount, valid_before, nonce, bound, unused_at_block, code, funded, closed_at, created_at)
     values ($1, 'test', $2, decode(repeat('0b', 32), 'hex'), $3, '0xa', '0xb', '0xc', 1, 0, 5, 1, '\\x01', false, 1, 'expired', true,
       now(), now())`,
    [accountId, intentId, NETWORK],
  );
  await pool.query(
    `insert into svc.payment_references (network, reference, account_id, mode, intent_id, intent_code, fee_recipient, expires_at,
       opened_at, next_read_at)
     values ('solana:x', 'ref', $1, 'test', $2, $3, 'f', now(), now(), now())`,
    [accountId, intentId, UNPAID_CODE],
  );
  const batch = await pool.query<{ id: string; transaction_id: string }>(
    'select id, transaction_id from svc.batches limit 1',
  );
  const { id: batchId = '', transaction_id: transactionId = '' } = batch.rows[0] ?? {};
  await insertRow(pool, 'batch_transactions', { batch_id: batchId, transaction_id: transactionId });
  await pool.query(
    `insert into svc.reverted_batches (account_id, mode, payment_id, batch_id, created_at)
     select account_id, mode, id, $2, now() from svc.payments where account_id = $1 limit 1`,
    [accountId, batchId],
  );
  await pool.query(
    `insert into svc.stranded_transfers (account_id, mode, claim_key, intent_id, network, action, status, relayer, batch_id,
       stranded_transaction_id, stranded_log_index, created_at, updated_at)
     values ($1, 'test', decode(repeat('0c', 32), 'hex'), $2, $3, 'hold', 'done', 'r', $4, '0xa', 0, now(), now())`,
    [accountId, intentId, NETWORK, batchId],
  );
  await seedDeliveries(pool, accountId, intentId);
  await insertRow(pool, 'idempotency', {
    ...own,
    response_status: 200,
    response_headers: '{}',
    response_body: Buffer.from('{}'),
  });
  await pool.query(
    `insert into svc.reader_cursors values
       ($1, lower($2), 'processor', 2000, '0x7d0', 100, now()) on conflict do nothing`,
    [NETWORK, PROCESSOR],
  );
}

async function seedDeliveries(pool: pg.Pool, accountId: string, intentId: string): Promise<void> {
  const own = { account_id: accountId };
  const eventId = newId('event', NOW.getTime());
  await insertRow(pool, 'endpoints', { ...own, secret_ciphertext: Buffer.from([1, 2, 3]) });
  await insertRow(pool, 'events', { ...own, id: eventId, intent_id: intentId });
  const later = { ...own, event_id: eventId };
  await insertRow(pool, 'deliveries', {
    ...later,
    endpoint_id: 'we_a',
    next_at: new Date(Date.now() + 3_600_000),
    attempt_count: 2,
  });
  await insertRow(pool, 'deliveries', {
    ...later,
    endpoint_id: 'we_gone',
    next_at: null,
    status: 'succeeded',
    finished_at: NOW,
  });
  await insertRow(pool, 'delivery_attempts', later);
  await insertRow(pool, 'event_replays', { ...own, status: 'done', finished_at: NOW });
}

/** Differences that a check of the books finds. */
export async function booksOf(pool: pg.Pool): Promise<readonly unknown[]> {
  const findings = createFindings(null, ['entries', 'statuses', 'overview'], 1_000);
  await withBooks(pool, async (books) => {
    await checkBooks(books, findings);
    checkOverview(await books.overview(), findings);
  });
  return findings.lines().flatMap(({ differences }) => differences);
}

/** Of the account, in both cells. */
export const statusesOf = async ({ source, target, accountId }: MoveWorld) =>
  Promise.all(
    [source.pool, target.pool].map(async (pool: pg.Pool) => {
      const { rows } = await pool.query<{ status: string }>('select status from svc.accounts where id = $1', [
        accountId,
      ]);
      return rows[0]?.status ?? 'absent';
    }),
  );

/** Whether the rows of the account are guarded in the cell that it leaves, and how many deliveries wait for the move. */
export async function guardsOf({ source, accountId }: MoveWorld) {
  const { rows } = await source.pool.query<{ guarded: boolean; parked: number }>(
    `select exists (select from pg_trigger where tgname = 'refuse_moving') as guarded, (
       select count(*)::integer from svc.deliveries where account_id = $1 and next_at = 'infinity'
     ) as parked`,
    [accountId],
  );
  return rows[0];
}
