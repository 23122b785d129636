// Which transfers an intent counts: each check alone stops a transfer that every other check lets through.
import type { IcrcTransfer } from '@svc-pay/core';
import { sampleAccount } from '@svc-pay/core/testing';
import type pg from 'pg';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { createIcrcWorld, DOLLAR, type IcrcWorld } from '../testing/icrc-world.ts';

let pool: pg.Pool;

async function begin(): Promise<IcrcWorld> {
  ({ pool } = await createTestDatabase());
  return createIcrcWorld(pool);
}

const keptBlocks = async () => (await pool.query('select block_index::integer as index from svc.icrc_transfers')).rows;
const receipts = async () =>
  (await pool.query('select reason from svc.log_proofs where payment_id is null')).rows.map(({ reason }) => reason);

test('a transfer to the account of another merchant is refused by notify, and nothing is written', async () => {
  const run = await begin();
  const other = await createIcrcWorld(pool, { merchant: sampleAccount(17) });
  const intentId = await run.intent();
  const index = await run.pay(intentId, { to: other.merchant });
  expect(await run.notify(intentId, index)).toBe('other_account');
  expect([await keptBlocks(), await receipts()]).toEqual([[], []]);
});

test('a transfer of another ledger pays nothing, though account, memo and amount are right', async () => {
  const run = await begin();
  const intentId = await run.intent();
  const transfer: IcrcTransfer = {
    network: run.sample.chain.network,
    ledger: 'bd3sg-teaaa-aaaaa-qaaba-cai',
    index: 0n,
    from: run.payer,
    to: run.merchant,
    amountAtomic: DOLLAR,
    intentCode: await run.codeOf(intentId),
    blockTimeMs: run.nowMs(),
  };
  await run.icrc.keep(transfer, run.nowMs());
  expect(await run.icrc.apply(transfer, run.nowMs())).toEqual({ outcome: 'unattributed', reason: 'other_terms' });
  expect([await run.intentOf(intentId), await run.paymentsOf(intentId)]).toEqual(['requires_payment', []]);
});

test('only transfers to accounts of payouts are kept, so that a stranger fills no table', async () => {
  const run = await begin();
  const intentId = await run.intent();
  await run.pay(intentId, { to: sampleAccount(8) });
  const index = await run.pay(intentId);
  await run.read({ ...run.icrc, loadDue: async () => [] });
  expect(await keptBlocks()).toEqual([{ index: Number(index) }]);
});
