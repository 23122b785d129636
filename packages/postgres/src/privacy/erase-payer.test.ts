import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { idAt } from '../testing/id-at.ts';
import { newAccount, newOperation, OPERATION_MS } from '../testing/new-operation.ts';
import { insertRow, insertRows, type Row, type SampleTable } from '../testing/sample-rows.ts';
import { erasePayer } from './erase-payer.ts';
import { exportPayer } from './export-payer.ts';

const REFERENCE = 'payer:1f2e3d';
let drawn = 0;

/** A payer with one completed payment, one failed payment, one refused attempt and one open intent. */
async function paidWorld() {
  const { pool } = await createTestDatabase();
  const operation = newOperation(pool);
  const { id: account_id } = await newAccount(operation);
  drawn += 1;
  const payer = `0x${'Ab'.repeat(19)}${String(drawn).padStart(2, '0')}`;
  const insert = (table: SampleTable, change: Row) => insertRow(pool, table, { account_id, ...change });
  const intent = (tail: string) => idAt('pi', OPERATION_MS, tail);
  const payment = (tail: string) => idAt('pay', OPERATION_MS, tail);
  const claim = (byte: number) => ({ claim_key: Buffer.alloc(32, byte), nonce: Buffer.alloc(32, byte), payer });

  await insert('intents', { id: intent('1'), status: 'completed', payment_id: payment('1'), expected_sender: payer });
  await insert('intents', { id: intent('2'), intent_code: 8, status: 'failed', payer_public_key: payer });
  await insert('intents', { id: intent('3'), intent_code: 9, expected_sender: payer });
  for (const [byte, closed_at] of [
    [1, new Date(OPERATION_MS)],
    [2, new Date(OPERATION_MS)],
    [3, null],
  ] as const) {
    await insert('claims', { ...claim(byte), intent_id: intent(String(byte)) });
    await insert('authorizations', { ...claim(byte), intent_id: intent(String(byte)), closed_at });
  }
  for (const [byte, closed_at] of [
    [4, new Date(OPERATION_MS)],
    [5, null],
  ] as const) {
    await pool.query(
      `insert into svc.refused_authorizations (account_id, mode, intent_id, claim_key, network, asset, payer, recipient,
         payout_id, position, amount, valid_before, nonce, bound, unused_at_block, code, funded, closed_at, created_at)
       values ($1, 'test', $2, $3::bytea, 'eip155:8453', '0x', $4, '0x', 1, 0, 1, 1, $3::bytea, false, 1, 'insufficient_funds', false, $5,
         now())`,
      [account_id, intent('3'), Buffer.alloc(32, byte), payer, closed_at],
    );
  }
  await insert('payments', {
    id: payment('1'),
    intent_id: intent('1'),
    status: 'completed',
    payer,
    paid_amount: '1000000',
    completed_at: new Date(OPERATION_MS),
  });
  await insert('payments', {
    id: payment('2'),
    intent_id: intent('2'),
    status: 'failed',
    payer: payer.toLowerCase(),
    failure_code: 'invalid_signature',
  });
  await insertRows(pool, 'ledger_entries', [
    { account_id, payment_id: payment('1'), party: payer },
    { account_id, id: idAt('lg', OPERATION_MS, '2'), payment_id: payment('1'), party: 'shop', amount: '1000000' },
  ]);
  await insert('intent_codes', { intent_code: 10, intent_id: intent('4') });
  await pool.query(
    "insert into svc.late_terms (intent_code, expires_at, expected_sender, ways, amounts) values (10, now(), $1, '{}', '{}')",
    [payer],
  );
  await insert('gas_losses', { payment_id: payment('2'), payer: payer.toLowerCase() });
  await insert('settlements', { payment_id: payment('2'), status: 'failed', solo_payer: payer.toLowerCase() });
  await pool.query(
    `insert into svc.refunds (account_id, mode, id, payment_id, intent_id, intent_code, kind, status, network, asset,
       token_shortcode, amount, wallet, recipient, reported_transaction_id, transaction_id, log_index, failure_code,
       created_at, completed_at, updated_at)
     select $1, 'test', 're_' || status, $2, $3, 7, 'reported', status, 'eip155:8453', '0x', 'base_usdc', 1, '0xshop', $4,
       '0x1', '0x1', 0, 'refund_transfer_not_proven', now(), now(), now()
     from unnest(array['completed', 'failed']) as status`,
    [account_id, payment('1'), intent('1'), payer],
  );
  await insert('attempts', { payer, detail: `signed by ${payer}` });
  await insert('events', { body: Buffer.from(JSON.stringify({ payer })) });
  await insert('attempts', { id: idAt('att', OPERATION_MS, '9'), payer: `0x${'99'.repeat(20)}` });
  return { pool, operation, account_id, payer };
}

test('an export holds every row that names the payer, in any letter case, and nobody else’s', async () => {
  const { operation, payer } = await paidWorld();
  const rows = await exportPayer(operation, payer.toUpperCase().replace('0X', '0x'), REFERENCE);
  expect(Object.fromEntries(Object.entries(rows).map(([table, list]) => [table, list.length]))).toEqual({
    intents: 3,
    late_terms: 1,
    authorizations: 3,
    claims: 3,
    refused_authorizations: 2,
    x402_leases: 0,
    attempts: 1,
    prepared_transfers: 0,
    payments: 2,
    ledger_entries: 1,
    refunds: 2,
    settlements: 1,
    gas_losses: 1,
    events: 1,
    idempotency: 0,
  });
  expect(JSON.stringify(rows)).not.toContain('9999999999');
});

test('every column of the schema that can name a payer is looked at', async () => {
  const { pool } = await createTestDatabase();
  const { rows } = await pool.query<{ name: string }>(
    `select distinct table_name || '.' || column_name as name from information_schema.columns
     where table_schema = 'svc' and column_name in ('payer', 'party', 'parties', 'expected_sender', 'payer_public_key')
       and table_name not similar to '%(_default|_[0-9]{4}_[0-9]{2}|_[0-9]{1,2})' order by 1`,
  );
  expect(rows.map(({ name }) => name)).toEqual([
    'attempts.payer',
    'authorizations.payer',
    'claims.payer',
    'gas_losses.payer',
    'intents.expected_sender',
    'intents.payer_public_key',
    'late_terms.expected_sender',
    'ledger_bookings.parties',
    'ledger_entries.party',
    'ledger_entry_rows.party',
    'payments.payer',
    'prepared_transfers.payer',
    'proven_wallets.payer',
    'refused_authorizations.payer',
    'solo_payers.payer',
    'x402_leases.payer',
  ]);
});

test('what is over is forgotten; what moved money or is still open stays', async () => {
  const { pool, operation, payer } = await paidWorld();
  expect(await erasePayer(operation, payer, REFERENCE)).toEqual({
    erased: {
      intents: 2,
      late_terms: 1,
      claims: 2,
      authorizations: 2,
      refused_authorizations: 1,
      x402_leases: 0,
      attempts: 1,
      payments: 1,
      refunds: 1,
      settlements: 1,
      gas_losses: 1,
    },
    kept: {
      intents: 1,
      late_terms: 0,
      authorizations: 1,
      claims: 1,
      refused_authorizations: 1,
      x402_leases: 0,
      attempts: 0,
      prepared_transfers: 0,
      payments: 1,
      ledger_entries: 1,
      refunds: 1,
      settlements: 0,
      gas_losses: 0,
      events: 1,
      idempotency: 0,
    },
    waitForRecovery: 0,
  });
  const open = await pool.query("select expected_sender from svc.intents where status = 'requires_payment'");
  expect(open.rows).toEqual([{ expected_sender: payer }]);
  const refunds = await pool.query('select recipient, wallet from svc.refunds order by id');
  expect(refunds.rows).toEqual([
    { recipient: payer, wallet: '0xshop' },
    { recipient: 'erased', wallet: '0xshop' },
  ]);
});

test('an authorization keeps payer and signature until its stranded money is settled or returned, and final', async () => {
  const { pool, operation, account_id, payer } = await paidWorld();
  const relayer = `0x${'5e'.repeat(20)}`;
  await insertRow(pool, 'relayers', { network: 'eip155:8453', address: relayer });
  await insertRow(pool, 'batches', { id: 'bat_1', network: 'eip155:8453', relayer, status: 'mined' });
  await pool.query(
    `insert into svc.stranded_transfers (account_id, mode, claim_key, intent_id, payment_id, network, action, status, relayer,
       batch_id, stranded_transaction_id, stranded_log_index, created_at, updated_at)
     select account_id, mode, claim_key, intent_id, 'pay_2', 'eip155:8453', 'return', 'queued', $2, 'bat_1', '0xab', 1,
       now(), now()
     from svc.authorizations where account_id = $1 and claim_key = $3`,
    [account_id, relayer, Buffer.alloc(32, 2)],
  );
  const erase = () => erasePayer(operation, payer, REFERENCE);
  const kept = async () =>
    (
      await pool.query('select payer from svc.authorizations where claim_key = $1 and length(signature) > 0', [
        Buffer.alloc(32, 2),
      ])
    ).rows;
  const setStatus = (status: string) => pool.query('update svc.stranded_transfers set status = $1', [status]);
  for (const status of ['queued', 'batched', 'mined', 'blocked', 'done']) {
    await setStatus(status);
    expect((await erase()).waitForRecovery, status).toBe(1);
    expect(await kept(), status).toEqual([{ payer }]);
  }
  await pool.query("update svc.batches set status = 'finalized'");
  expect(await erase()).toMatchObject({ erased: { authorizations: 1, claims: 1 }, waitForRecovery: 0 });
  expect(await kept()).toEqual([]);
});

test('a forgotten authorization still can’t be used a second time', async () => {
  const { pool, operation, account_id, payer } = await paidWorld();
  await erasePayer(operation, payer, REFERENCE);
  await expect(insertRow(pool, 'claims', { account_id, claim_key: Buffer.alloc(32, 1), payer })).rejects.toMatchObject({
    code: '23505',
  });
});

test('erasing again forgets what has ended since, and else nothing', async () => {
  const { pool, operation, payer } = await paidWorld();
  await erasePayer(operation, payer, REFERENCE);
  await pool.query("update svc.intents set status = 'canceled' where status = 'requires_payment'");
  await pool.query('update svc.authorizations set closed_at = now() where closed_at is null');
  await pool.query('update svc.refused_authorizations set closed_at = now() where closed_at is null');
  const again = await erasePayer(operation, payer, REFERENCE);
  expect(again.erased).toEqual({
    refunds: 0,
    intents: 1,
    late_terms: 0,
    claims: 1,
    authorizations: 1,
    refused_authorizations: 1,
    x402_leases: 0,
    attempts: 0,
    payments: 0,
    settlements: 0,
    gas_losses: 0,
  });
  const last = await erasePayer(operation, payer, REFERENCE);
  expect(Object.values(last.erased).every((count) => count === 0)).toBe(true);
});

test('export and erasure are on record without naming the payer', async () => {
  const { pool, operation, account_id, payer } = await paidWorld();
  await exportPayer(operation, payer, REFERENCE);
  await erasePayer(operation, payer, REFERENCE);
  const { rows } = await pool.query(
    "select action, target, audit::text as text from svc.audit where account_id = $1 and action like 'privacy.%' order by id",
    [account_id],
  );
  expect(new Set(rows.map(({ action }) => action))).toEqual(new Set(['privacy.exported', 'privacy.erased']));
  for (const { target, text } of rows) {
    expect(target).toBe(REFERENCE);
    expect(text.toLowerCase()).not.toContain(payer.toLowerCase());
  }
});
