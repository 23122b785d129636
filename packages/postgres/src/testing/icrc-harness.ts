// The store of token ledgers over Postgres as its contract suite sees it.
import { sampleAccount } from '@svc-pay/core/testing';
import type { IcrcHarness } from '@svc-pay/core/testing/contracts';
import { createMaintenanceStore } from '../maintenance-store.ts';
import { createTestDatabase } from './create-test-database.ts';
import { createIcrcWorld, ICRC_NETWORK } from './icrc-world.ts';
import { readDatabase } from './store-harness.ts';

export async function createIcrcHarness(): Promise<IcrcHarness> {
  const { pool } = await createTestDatabase();
  const nowMs = Date.now();
  const world = await createIcrcWorld(pool);
  const rival = sampleAccount(6);
  await createIcrcWorld(pool, { merchant: rival });
  const { rows } = await pool.query<{ first: Date }>('select min(created_at) as first from svc.payouts');
  if (rows[0] === undefined) throw new Error('no payout');
  const { expireIntents } = createMaintenanceStore(pool);
  return {
    network: ICRC_NETWORK,
    ledger: world.sample.ledger,
    merchant: world.merchant,
    rival,
    beganAtMs: rows[0].first.getTime(),
    icrc: world.icrc,
    owner: { accountId: world.accountId, mode: 'test' },
    nowMs: () => nowMs,
    offer: async ({ expectedSender, expiresInMs } = {}) => {
      const intentId = await world.intent(expectedSender === undefined ? {} : { expectedSender });
      if (expiresInMs !== undefined)
        await pool.query('update svc.intents set expires_at = $2 where id = $1', [
          intentId,
          new Date(nowMs + expiresInMs),
        ]);
      return { intentId, intentCode: await world.codeOf(intentId) };
    },
    expire: (atMs) => expireIntents(atMs, 1_000),
    read: () => readDatabase(pool),
    statusOf: world.intentOf,
    proofs: async () =>
      (
        await pool.query(
          `select transaction_id as transaction, log_index as "logIndex", payment_id as payment, reason
           from svc.log_proofs order by transaction_id, log_index`,
        )
      ).rows,
  };
}
