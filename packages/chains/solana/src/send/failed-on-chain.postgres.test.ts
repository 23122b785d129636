// A wallet's guard can pass in the simulation and fail on chain. The relayer pays for that once.
import { laneRound, outcomesOf } from '@svc-pay/core';
import { createFinalityStore, createLaneStore } from '@svc-pay/postgres/settlement-service';
import { createTestDatabase } from '@svc-pay/postgres/testing';
import { expect, onTestFinished, test } from 'vitest';
import { signAsWallet } from '../testing/actors.ts';
import { alter } from '../testing/alter.ts';
import { AMOUNT, createSolanaLaneWorld } from '../testing/lane-world.ts';
import { noopProgram, refusingProgram } from '../testing/noop-program.ts';
import { LIGHTHOUSE_PROGRAM } from '../transfer/programs.ts';

/** Lighthouse's error code for a failed assertion. */
const ASSERTION_FAILED = 6_001;

test('a payment whose guard fails on the chain is paid for once, fails when that is final, and is never sent again', async () => {
  const { pool } = await createTestDatabase();
  const lane = await createSolanaLaneWorld(pool);
  onTestFinished(() => lane.chain.stop());
  const { ledger } = lane.chain;
  const lamports = () => ledger.account(lane.lane.relayer)?.lamports ?? 0n;
  ledger.addProgram(LIGHTHOUSE_PROGRAM, noopProgram());
  const guard = { programAddress: LIGHTHOUSE_PROGRAM, accounts: [], data: Uint8Array.of(1) };
  const queued = await lane.queue({
    sign: async (prepared, payer) => signAsWallet(await alter(prepared, { after: [guard] }), payer),
  });
  const before = lamports();
  let laterMs = 0;
  const clock = { nowMs: () => Date.now() + laterMs };
  const { broadcast } = lane.deps.chain;
  let sent = 0;
  const deps = {
    ...lane.deps,
    clock,
    store: createLaneStore(pool, { clock, gasCoinRate: () => undefined }),
    chain: {
      ...lane.deps.chain,
      broadcast: async (raw: Uint8Array) => {
        sent += 1;
        ledger.addProgram(LIGHTHOUSE_PROGRAM, refusingProgram(ASSERTION_FAILED));
        return broadcast(raw);
      },
    },
  };
  const lease = await lane.takeLease();
  for (let round = 0; round < 3; round += 1) {
    await laneRound(deps, lease);
    ledger.advance(1n);
  }
  expect([sent, before - lamports()]).toEqual([1, 10_600n]);
  // The payer answers for it: the loss counts against its gas budget.
  const used = await pool.query("select lost::text from svc.gas_budget_uses where scope = 'payer'");
  expect(used.rows).toEqual([{ lost: '10600' }]);
  expect((await lane.statusOf(queued.paymentId)).payment).toBe('pending');

  ledger.advance(40n);
  const finality = createFinalityStore(pool);
  const [batch] = await finality.loadAgeingBatches(lane.lane.network, ledger.slotAt('finalized'), 10);
  const [mined] = await deps.chain.findMined([(await finality.loadRecordedBatch(batch!.id))!]);
  await finality.recordFinal(batch!, outcomesOf(batch!, mined!), clock.nowMs());
  const failed = { payment: 'failed', intent: 'requires_payment', code: 'token_refused' };
  expect(await lane.statusOf(queued.paymentId)).toEqual(failed);

  // The guard would pass again, and an hour has passed: any payment waiting for its next turn would be sent now.
  ledger.addProgram(LIGHTHOUSE_PROGRAM, noopProgram());
  laterMs = 3_600_000;
  await lane.settle(deps);
  expect([sent, before - lamports()]).toEqual([1, 10_600n]);
  expect(await lane.statusOf(queued.paymentId)).toEqual(failed);
  expect(await lane.balanceOf(queued.payer)).toBe(AMOUNT);
});
