// Payments by signed transactions ask in groups: each gets its own answer, whoever else is in the group.
import { randomBytes } from 'node:crypto';
import { type Caller, type PreparedTransaction, systemClock } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import { expect, test } from 'vitest';
import { loadSettlement, loadTransfers } from '../settlement/load-settlement.ts';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { createTestIntent } from '../testing/create-test-intent.ts';
import { seedMerchant } from '../testing/seed-merchant.ts';
import { createTransferStores } from './transfer-stores.ts';

const { pool } = await createTestDatabase();
const NETWORK = 'solana:devnet' as NetworkId;
const together = { concurrent: 1, most: 256 };
const stores = createTransferStores(pool, systemClock, { reads: together, writes: together });

const prepared = (payer: string, relayer = 'relayer', position = 0): PreparedTransaction => ({
  payer,
  network: NETWORK,
  position,
  transfer: {
    relayer,
    feeRecipient: 'fee',
    tokenProgram: 'program',
    decimals: 6,
    blockhash: 'hash',
    lastValidBlockHeight: 2n ** 60n,
    slot: 7n,
  },
  messageHash: randomBytes(32).toString('hex'),
  wire: randomBytes(40),
});

test('of many that are prepared at one moment each is stored and found as its own, by its own account', async () => {
  const callers = [await seedMerchant(pool), await seedMerchant(pool)] as const;
  const wanted = Array.from({ length: 60 }, (_, index) => ({
    caller: callers[index % 2] as Caller,
    intentId: newId('paymentIntent', Date.now()),
    one: prepared(`payer ${index % 7}`),
  }));
  const stored = await Promise.all(
    wanted.map(({ caller, intentId, one }) => stores.storePrepared(caller, intentId, one)),
  );
  expect(stored).toEqual(wanted.map(({ one }) => one));
  const found = await Promise.all(
    wanted.map(({ caller, intentId, one }) => stores.findPrepared(caller, intentId, one.payer, 'hash')),
  );
  expect(found).toEqual(wanted.map(({ one }) => [one]));
  const [first] = wanted;
  expect(await stores.findPrepared(callers[1], first!.intentId, first!.one.payer, 'hash')).toEqual([]);
});

test('of the same key in one group, and of one that is there already, the first counts for all', async () => {
  const caller = await seedMerchant(pool);
  const intentId = newId('paymentIntent', Date.now());
  // The first goes alone, and the others are one group behind it.
  const alone = prepared('bob');
  const [first, ...same] = ['a', 'b', 'c'].map((relayer) => prepared('ada', relayer));
  const other = prepared('ada', 'd', 1);
  const answers = await Promise.all(
    [alone, first!, ...same, other].map((one) => stores.storePrepared(caller, intentId, one)),
  );
  expect(answers).toEqual([alone, first, first, first, other]);
  expect(await stores.storePrepared(caller, intentId, prepared('ada', 'e'))).toEqual(first);
  expect(await stores.findPrepared(caller, intentId, 'ada', 'hash')).toEqual([first, other]);
});

test('a faulty row fails for its own caller alone', async () => {
  const caller = await seedMerchant(pool);
  const ids = Array.from({ length: 9 }, () => newId('paymentIntent', Date.now()));
  const settled = await Promise.allSettled(
    ids.map((id, index) =>
      stores.storePrepared(caller, id, { ...prepared('ada'), ...(index === 4 && { wire: randomBytes(2_000) }) }),
    ),
  );
  expect(settled.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))).toEqual([4]);
});

test('payouts and relayers of one moment are those that each asked for', async () => {
  const callers = [await seedMerchant(pool), await seedMerchant(pool)] as const;
  const add = (caller: Caller, payoutId: number, processor: string, merchant: string, status = 'active') =>
    pool.query(
      `insert into svc.payouts (account_id, mode, network, payout_id, processor, merchant, fee_bps, status, created_at)
       values ($1, 'test', $2, $3, $4, $5, 100, $6, now())`,
      [caller.accountId, NETWORK, payoutId, processor, merchant, status],
    );
  await add(callers[0], 901, 'fee one', 'shop');
  await add(callers[0], 901, 'fee two', 'shop');
  await add(callers[1], 902, 'fee one', 'other shop');
  await add(callers[1], 903, 'fee one', 'gone', 'disabled');
  const ask = (caller: Caller, payoutId: bigint, merchant: string, feeRecipient: string) =>
    stores.loadStoredPayout(caller, { network: NETWORK, payoutId, merchant, feeRecipient });
  const found = await Promise.all([
    ask(callers[0], 901n, 'shop', 'fee two'),
    ask(callers[0], 901n, 'shop', 'fee one'),
    ask(callers[1], 901n, 'shop', 'fee one'),
    ask(callers[1], 902n, 'other shop', 'unknown'),
    ask(callers[1], 903n, 'gone', 'fee one'),
    ask(callers[1], 902n, 'shop', 'fee one'),
  ]);
  expect(found.map((payout) => payout?.feeRecipient)).toEqual([
    'fee two',
    'fee one',
    undefined,
    'fee one',
    undefined,
    undefined,
  ]);
});

test('signed transactions of one moment find their own intents, and none of another account', async () => {
  const callers = [await seedMerchant(pool), await seedMerchant(pool)] as const;
  const [own, others] = [await createTestIntent(pool, callers[0]), await createTestIntent(pool, callers[1])];
  const submitted = { payer: 'ada', messageHash: '11'.repeat(32) };
  const wanted = [
    { caller: callers[0], intentId: own, submitted },
    { caller: callers[0], intentId: others, submitted },
    { caller: callers[1], intentId: others, submitted },
  ];
  const found = await loadTransfers(pool, wanted);
  expect(found.map((read) => read?.intent.id)).toEqual([own, undefined, others]);
  for (const [index, { caller, intentId }] of wanted.entries())
    expect(await loadSettlement(pool, caller, intentId, submitted)).toEqual(found[index]);
});
