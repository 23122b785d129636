import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { GAS_COST } from '../testing/fake-chain.ts';
import { createLaneWorld } from '../testing/lane-world.ts';
import { queuePayment } from '../testing/queue-payment.ts';
import { readCosts } from './read-costs.ts';

const HOUR_MS = 3_600_000;

test('costs of a period: settled payments, gas paid, gas lost and fees, by account and network', async () => {
  const lane = await createLaneWorld((await createTestDatabase()).pool);
  await lane.queue(4);
  const { paymentId } = await queuePayment(lane.pool, lane.caller, { byContract: true });
  lane.chain.revertAlone(paymentId, 'reverted_alone');
  await lane.settle();
  const now = { fromMs: Date.now() - HOUR_MS, toMs: Date.now() + HOUR_MS };
  const { rows } = await lane.pool.query<{ asset: string; fee: string }>(
    "select asset, sum(amount)::text as fee from svc.ledger_entries where account_name = 'platform_fee' group by asset",
  );
  const cost = {
    accountId: lane.caller.accountId,
    mode: 'test',
    network: lane.lane.network,
    payments: 4,
    gasPaidAtomic: 2n * GAS_COST,
    gasLostAtomic: GAS_COST,
    fees: rows.map(({ asset, fee }) => ({ asset, atomic: BigInt(fee) })),
  };
  expect(rows).toHaveLength(1);
  expect(await readCosts(lane.pool, now, null)).toEqual([cost]);
  expect(await readCosts(lane.pool, now, lane.caller.accountId)).toEqual([cost]);
  expect(await readCosts(lane.pool, now, 'acct_other')).toEqual([]);
  expect(await readCosts(lane.pool, { fromMs: now.fromMs - HOUR_MS, toMs: now.fromMs }, null)).toEqual([]);
});
