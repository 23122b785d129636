// Blocks of a token ledger that were set aside, or are older than the intent of their memo. The database is real.
import { memoOfIntent } from '@svc-pay/core';
import { sampleAccount } from '@svc-pay/core/testing';
import { beforeEach, expect, test } from 'vitest';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { createIcrcWorld, DOLLAR, type IcrcWorld } from '../testing/icrc-world.ts';

let run: IcrcWorld;

beforeEach(async () => {
  run = await createIcrcWorld((await createTestDatabase()).pool);
});

const receipts = async () => (await run.pool.query('select reason from svc.log_proofs where payment_id is null')).rows;

// The merchant may have sent back outside of the system what he saw as a receipt: a block that was judged is not judged anew.
test('a block that is a receipt stays one, also when the terms of its intent would fit it later', async () => {
  const intentId = await run.intent();
  const payTo = (account: string) =>
    run.pool.query('update svc.acceptances set pay_to = $2 where intent_id = $1', [intentId, account]);
  await payTo(sampleAccount(8));
  const index = await run.pay(intentId);
  await run.read();
  expect(await receipts()).toMatchObject([{ reason: 'other_terms' }]);
  await payTo(run.merchant);
  expect(await run.notify(intentId, index)).toBe('counted_elsewhere');
  const { ledger, chain } = run.sample;
  const block = {
    network: chain.network,
    ledger,
    index,
    blockTimeMs: run.nowMs(),
    intentCode: await run.codeOf(intentId),
  };
  await run.icrc.keep({ ...block, from: run.payer, to: run.merchant, amountAtomic: DOLLAR }, run.nowMs());
  await run.read();
  expect(await receipts()).toMatchObject([{ reason: 'other_terms' }]);
  expect([await run.intentOf(intentId), await run.paymentsOf(intentId)]).toEqual(['requires_payment', []]);
});

/** One dollar with the memo of the intent that is created next. Codes are counted up, so anybody can guess it. */
const payAhead = async (beforeMs: number): Promise<bigint> => {
  const intentCode = (await run.codeOf(await run.intent())) + 1n;
  return run.sample.pay(
    { from: run.payer, to: run.merchant, amountAtomic: DOLLAR, intentCode },
    run.nowMs() - beforeMs,
  );
};

test.each([
  ['that is older than its intent', 3_600_000],
  ['that came just before its intent', 0],
])(
  'a receipt %s does not pay it, and is not erased: the merchant may have sent the money back',
  async (_which, beforeMs) => {
    const index = await payAhead(beforeMs);
    await run.read();
    expect(await receipts()).toMatchObject([{ reason: 'unknown_intent' }]);
    const intentId = await run.intent();
    const block = run.sample.blocks[Number(index)];
    expect(block?.transfer?.memo).toEqual(memoOfIntent(await run.codeOf(intentId)));
    for (let times = 0; times < 2; times += 1) expect(await run.notify(intentId, index)).toBe('counted_elsewhere');
    await run.read();
    expect(await receipts()).toMatchObject([{ reason: 'unknown_intent' }]);
    expect([await run.intentOf(intentId), await run.paymentsOf(intentId)]).toEqual(['requires_payment', []]);
  },
);

test('a block that is older than its intent and that nobody has read does not pay it', async () => {
  const index = await payAhead(3_600_000);
  const intentId = await run.intent();
  expect(await run.notify(intentId, index)).toBe('counted_elsewhere');
  await run.read();
  expect(await receipts()).toMatchObject([{ reason: 'unknown_intent' }]);
  expect(await run.intentOf(intentId)).toBe('requires_payment');
});
