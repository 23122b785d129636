import { checkBooks, createFindings, type LaneItem, type PayoutActivation } from '@svc-pay/core';
import { evmNetwork } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { expect, test } from 'vitest';
import { changeRows } from '../testing/change-rows.ts';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { insertRow, NOW } from '../testing/sample-rows.ts';
import { seedSettledBatch } from '../testing/seed-settled-batch.ts';
import { unguardLedger } from '../testing/unguard-ledger.ts';
import { withBooks } from './open-books.ts';

const NETWORK = evmNetwork(84_532);
const address = (byte: string) => `0x${byte.repeat(20)}`;
const lane = { network: NETWORK, relayer: address('dd') };
const hash = (batch: number) => `0x${batch.toString(16).padStart(64, '0')}`;
const accountId = newId('account', NOW.getTime());
let lastCode = 100n;

function newItem(change: Partial<LaneItem> = {}): LaneItem {
  lastCode += 1n;
  return {
    accountId,
    mode: 'test',
    paymentId: newId('payment', NOW.getTime()),
    intentId: newId('paymentIntent', NOW.getTime()),
    intentCode: lastCode,
    number: lastCode,
    asset: address('70'),
    processor: address('ee'),
    kind: 'transfer_with_authorization',
    byContract: false,
    payer: address('aa'),
    capAtomic: 1_000n,
    settledAtomic: 777n,
    validAfterSeconds: 0n,
    validBeforeSeconds: 2_000_000_000n,
    nonce: `0x${lastCode.toString(16).padStart(64, '0')}`,
    signature: `0x${'02'.repeat(65)}`,
    confirmations: 1,
    payout: { id: 3n, merchant: address('bb'), feeBps: 250, splits: [{ to: address('0c'), bps: 1_000 }] },
    ...change,
  };
}

async function seedBatch(pool: pg.Pool, number: number, items: readonly LaneItem[]): Promise<void> {
  await seedSettledBatch(pool, {
    lane,
    nonce: BigInt(number),
    transactionId: hash(number),
    blockNumber: BigInt(1_000 + number),
    feeRecipient: address('cc'),
    gasCostAtomic: 100_001n,
    payments: items.map((item, index) => ({
      item,
      mined: {
        paymentId: item.paymentId,
        outcome: 'settled',
        transferLogIndex: index * 3,
        logIndex: index * 3 + 1,
        feeAtomic: (item.settledAtomic * 250n) / 10_000n,
        escrowedFor: index === 1 ? [item.payer] : [],
      },
    })),
  });
}

async function check(pool: pg.Pool) {
  const findings = createFindings(null, ['entries', 'statuses'], 1_000);
  const networks = await withBooks(pool, (books) => checkBooks(books, findings));
  const lines = findings.lines();
  return {
    census: networks.get(NETWORK),
    looked: lines[0]!.looked,
    words: lines.flatMap(({ check: name, differences }) =>
      differences.map(({ about, message }) => `${name} ${about.join()}: ${message}`),
    ),
  };
}

async function world() {
  const { pool } = await createTestDatabase();
  const [one, other, third] = [newItem(), newItem(), newItem({ settledAtomic: 1_000n })];
  await seedBatch(pool, 1, [one, other]);
  await seedBatch(pool, 2, [third]);
  await insertRow(pool, 'payments', { account_id: accountId, id: newId('payment', NOW.getTime()) });
  return { pool, one, other, third };
}

test('books as a lane leaves them hold, and are counted', async () => {
  const { pool } = await world();
  expect(await check(pool)).toEqual({
    census: {
      completed: 3,
      bySource: { settled: 3, direct: 0, received: 0 },
      unresolvedStranded: 0,
      strandedAtomic: new Map(),
      tokens: new Set([address('70'), address('33')]),
    },
    looked: 4,
    words: [],
  });
});

test('books of more than a page are read to the end', async () => {
  const { pool } = await world();
  await pool.query(
    `insert into svc.payments (account_id, mode, id, intent_id, status, network, token_shortcode, asset, amount,
       failure_code, created_at, updated_at)
     select $1, 'test', 'pay_' || lpad(n::text, 26, '0'), 'pi_x', 'failed', 'eip155:84532', 'basesepolia_usdc', '0x', 1,
       'expired', now(), now() from generate_series(1, 1200) n`,
    [accountId],
  );
  expect(await check(pool)).toMatchObject({ looked: 1_204, words: [] });
});

const OF_MERCHANT = `account_name = 'merchant' and payment_id = $1`;
const COPIED = `account_id, mode, id || 'x', payment_id, network, asset, account_name, party, amount, transaction_id,
  log_index, reverses, created_at`;

const shared = await createTestDatabase();
let sharedBatches = 0;

test.each<[string, string, readonly RegExp[]]>([
  [
    'an entry that is missing',
    `delete from svc.ledger_entries where ${OF_MERCHANT}`,
    [/off by -681/, /no entry merchant/],
  ],
  [
    'an entry that is there twice',
    `insert into svc.ledger_entries select ${COPIED} from svc.ledger_entries where ${OF_MERCHANT}`,
    [/off by 681/, /one too many/],
  ],
  [
    'all entries twice, which balances',
    `insert into svc.ledger_entries select ${COPIED} from svc.ledger_entries where payment_id = $1`,
    [/one too many/],
  ],
  ['an amount that was changed', `update svc.ledger_entries set amount = 680 where ${OF_MERCHANT}`, [/off by -1/]],
  [
    'money that went to somebody else',
    `update svc.ledger_entries set party = '0xeve' where ${OF_MERCHANT}`,
    [/no entry merchant/, /one too many/],
  ],
  [
    'an entry of another transaction',
    `update svc.ledger_entries set transaction_id = '0xother' where ${OF_MERCHANT}`,
    [/points at 0xother/],
  ],
  [
    'network cost of one side',
    `delete from svc.ledger_entries where asset = 'native' and amount > 0 and payment_id = $1`,
    [/native on eip155:84532 are off by/],
  ],
  ['a fee that the terms do not give', 'update svc.payments set fee_amount = 20 where id = $1', [/its fee is 20/]],
  ['a refund that is not the rest', 'update svc.payments set refund_amount = 1 where id = $1', [/it returned 1,/]],
  ['an amount paid that was not settled', 'update svc.payments set paid_amount = 5 where id = $1', [/was paid 5,/]],
  [
    'entries of a payment that failed',
    `update svc.payments set status = 'failed', failure_code = 'x' where id = $1`,
    [/it is failed and has 7 entries/, /its settlement is completed/, /is completed by it/],
  ],
  [
    'entries of a payment that does not exist',
    `update svc.ledger_entries set payment_id = 'pay_none' where payment_id = $1`,
    [/7 entries belong to payments that do not exist/],
  ],
  [
    'a payment of an account that does not exist',
    `update svc.payments set account_id = 'acct_none' where id = $1`,
    [/1 payments belong to accounts that do not exist/],
  ],
  [
    'an intent whose payment is gone',
    'delete from svc.payments where id = $1',
    [/\d intents are completed by payments that do not exist/],
  ],
  [
    'an intent that names another payment',
    `update svc.intents set payment_id = 'pay_other' where payment_id = $1`,
    [/names pay_other/],
  ],
  [
    'an intent that is not completed',
    `update svc.intents set status = 'processing' where payment_id = $1`,
    [/intent pi_\w+ is processing/],
  ],
  [
    'a settlement that is not completed',
    `update svc.settlements set status = 'failed' where payment_id = $1`,
    [/its settlement is failed/],
  ],
  ['a settlement that is gone', 'delete from svc.settlements where payment_id = $1', [/has no settlement/]],
  [
    'an authorization that is another payment’s',
    `update svc.claims set payment_id = 'pay_other' where payment_id = $1`,
    [/claimed by pay_other/],
  ],
  [
    'a transaction that its batch was not',
    `update svc.payments set transaction_id = '0xother' where id = $1`,
    [/names transaction 0xother/],
  ],
  [
    'a batch that never was mined',
    `update svc.batches set status = 'dropped' where id = (select batch_id from svc.settlements where payment_id = $1)`,
    [/is dropped/],
  ],
])('%s is found and named', async (_, statement, words) => {
  const { pool } = shared;
  const item = newItem();
  sharedBatches += 1;
  await seedBatch(pool, sharedBatches, [item]);
  const aboutIt = async () =>
    (await check(pool)).words.filter((text) => text.includes(item.paymentId) || text.includes('do not exist'));
  const before = await aboutIt();
  await changeRows(pool, statement, [item.paymentId]);
  const found = (await aboutIt()).filter((text) => !before.includes(text));
  for (const word of words) expect(found).toContainEqual(expect.stringMatching(word));
});

const directItem = () =>
  newItem({
    processor: address('bb'),
    capAtomic: 500n,
    settledAtomic: 500n,
    payout: { id: 9n, merchant: address('bb'), feeBps: 0, splits: [], direct: {} as PayoutActivation },
  });

async function seedDirect(pool: pg.Pool, number: number, item: LaneItem): Promise<void> {
  await seedSettledBatch(pool, {
    lane,
    nonce: BigInt(number),
    transactionId: hash(number),
    blockNumber: BigInt(1_000 + number),
    feeRecipient: address('cc'),
    gasCostAtomic: 100_001n,
    payments: [
      {
        item,
        mined: {
          paymentId: item.paymentId,
          outcome: 'settled',
          transferLogIndex: 4,
          logIndex: 4,
          feeAtomic: 0n,
          escrowedFor: [],
        },
      },
    ],
  });
}

test('books of direct payments hold, of a lane and of a foreign transaction', async () => {
  const { pool } = await createTestDatabase();
  const [own, foreign] = [directItem(), directItem()];
  await seedDirect(pool, 1, own);
  await seedDirect(pool, 2, foreign);
  await changeRows(
    pool,
    `update svc.settlements set relayer = null, batch_id = null, foreign_transaction_id = $2 where payment_id = $1`,
    [foreign.paymentId, hash(2)],
  );
  const { census, words } = await check(pool);
  expect(words).toEqual([]);
  expect(census?.bySource).toEqual({ settled: 0, direct: 2, received: 0 });
  await withBooks(pool, async (books) => {
    const rows = await books.paymentsOfTransactions(NETWORK, [hash(1), hash(3)]);
    expect(rows.map(({ paymentId, nonce }) => ({ paymentId, nonce }))).toEqual([
      { paymentId: own.paymentId, nonce: own.nonce },
    ]);
    expect(await books.directWallets(NETWORK)).toEqual({
      wallets: [{ wallet: address('bb'), asset: address('70') }],
      firstBlock: 1_000n,
    });
    expect(
      await books.logUses(NETWORK, [
        { transactionId: hash(1), logIndex: 4 },
        { transactionId: hash(1), logIndex: 5 },
      ]),
    ).toEqual([{ transactionId: hash(1), logIndex: 4, use: 'payment' }]);
    expect(await books.installation()).toMatch(/^[0-9a-f-]{36}$/);
    const [code, processor] = [own.intentCode, address('bb')];
    expect(
      await books.ownReceipts(NETWORK, [
        { intentCode: 1n, processor, payoutId: 1n },
        { intentCode: code, processor, payoutId: 1n },
        { intentCode: 1n, processor, payoutId: 9n },
        { intentCode: 1n, processor: address('cc'), payoutId: 9n },
      ]),
    ).toEqual(new Set([1, 2]));
  });
});

test('of held payments those are listed that only the merchant can end', async () => {
  const { pool } = await createTestDatabase();
  const held = { status: 'held', direct: true };
  await insertRow(pool, 'settlements', { ...held, payment_id: 'pay_merchant', held_for_merchant: true });
  await insertRow(pool, 'settlements', { ...held, payment_id: 'pay_refused', refusal: 'insufficient_funds' });
  expect(await withBooks(pool, (books) => books.heldForMerchant(NETWORK))).toEqual(['pay_merchant']);
});

test.each<[string, string, RegExp]>([
  ['no log proof', 'delete from svc.log_proofs where payment_id = $1', /no log proof has its log/],
  [
    'a log proof of another payment',
    `update svc.log_proofs set payment_id = 'pay_other' where payment_id = $1`,
    /1 log proofs name payments or refunds that are not proven by their log/,
  ],
  [
    'a log proof of a payment that failed',
    `update svc.payments set status = 'failed', failure_code = 'x' where id = $1`,
    /1 log proofs name payments or refunds that are not proven by their log/,
  ],
  [
    'no batch and no foreign transaction',
    'update svc.settlements set batch_id = null where payment_id = $1',
    /it is completed and in no batch/,
  ],
  [
    'a foreign transaction that the payment does not name',
    `update svc.settlements set foreign_transaction_id = '0xother' where payment_id = $1`,
    /its settlement the foreign one 0xother/,
  ],
])('a direct payment with %s is found and named', async (_, statement, words) => {
  const { pool } = await createTestDatabase();
  const item = directItem();
  await seedDirect(pool, 1, item);
  await pool.query('alter table svc.settlements drop constraint settlements_check');
  await changeRows(pool, statement, [item.paymentId]);
  expect((await check(pool)).words).toContainEqual(expect.stringMatching(words));
});

test('an intent that two payments complete is found', async () => {
  const { pool, one } = await world();
  const twin = newId('payment', NOW.getTime());
  await changeRows(
    pool,
    `insert into svc.payments (account_id, mode, id, intent_id, status, network, token_shortcode, asset, amount,
       paid_amount, completed_at, created_at, updated_at)
     select account_id, mode, $2, intent_id, status, network, token_shortcode, asset, amount, paid_amount, completed_at,
       created_at, updated_at from svc.payments where id = $1`,
    [one.paymentId, twin],
  );
  const { words } = await check(pool);
  expect(words).toContainEqual(
    expect.stringMatching(`statuses ${twin}: it is completed, its intent .* names ${one.paymentId}`),
  );
});

test('what a reorganisation took back leaves nothing behind, and must be the exact opposite', async () => {
  const { pool, one } = await world();
  const taken = `insert into svc.ledger_entries select account_id, mode, id || 'r', payment_id, network, asset, account_name,
    party, -amount, transaction_id, log_index, id, created_at from svc.ledger_entries where payment_id = $1`;
  await changeRows(pool, taken, [one.paymentId]);
  await changeRows(pool, `update svc.payments set status = 'pending' where id = $1`, [one.paymentId]);
  await changeRows(pool, `update svc.settlements set status = 'queued' where payment_id = $1`, [one.paymentId]);
  await changeRows(pool, `update svc.intents set status = 'processing' where payment_id = $1`, [one.paymentId]);
  await changeRows(pool, 'delete from svc.log_proofs where payment_id = $1', [one.paymentId]);
  expect((await check(pool)).words).toEqual([]);
  await changeRows(
    pool,
    `update svc.ledger_entries set party = '0xeve' where ${OF_MERCHANT} and reverses is not null`,
    [one.paymentId],
  );
  expect((await check(pool)).words).toEqual([expect.stringContaining('is not its opposite')]);
});

test('the proof sees one moment, whatever is written meanwhile', async () => {
  const { pool, one } = await world();
  await unguardLedger(pool);
  await withBooks(pool, async (books) => {
    const before = await books.paymentsOfCodes([one.intentCode]);
    await changeRows(pool, 'delete from svc.ledger_entries where payment_id = $1', [one.paymentId]);
    expect(await books.paymentsOfCodes([one.intentCode])).toEqual(before);
  });
});

test('a gas loss of no payment, and one that takes back what is not its opposite, are found', async () => {
  const { pool, one } = await world();
  const loss = { account_id: accountId, payment_id: one.paymentId };
  const lost = (id: string, change: Record<string, unknown>) =>
    insertRow(pool, 'gas_losses', { ...loss, id, ...change });
  await lost('lg_1', {});
  await lost('lg_2', { amount: '-21000', reverses: 'lg_1' });
  await lost('lg_3', { account_id: null, payment_id: null, payer: null, cause: 'unknown' });
  expect((await check(pool)).words).toEqual([]);
  await lost('lg_4', { payment_id: 'pay_gone' });
  await lost('lg_5', { amount: '-20999', reverses: 'lg_3', account_id: null, payment_id: null });
  await lost('lg_6', { amount: '-21000', reverses: 'lg_1' });
  await lost('lg_7', { amount: '-1' });
  expect((await check(pool)).words).toEqual([
    'entries lg_4,lg_5,lg_6,lg_7: 4 gas losses belong to no payment, or take back what is not their opposite',
  ]);
});
