// Sixty payments with a crash or a rival process in the middle, judged more strictly than in the crash tests.
import path from 'node:path';
import { LANE_DRAIN } from '@svc-pay/core';
import { createWakeDrain } from '@svc-pay/engine/wake';
import { ledgerCheck } from './ledger-check.ts';
import { paymentStatuses, prepareMany, richPayers, settleAll, waitFor } from './many-payments.ts';
import type { World } from './start-world.ts';

const PAYMENTS = 60;
/** Program of the real settlement with one bug from settlement-with-bug.ts. */
export const withBug = (name: string) => [path.join(import.meta.dirname, 'settlement-with-bug.ts'), name];
export const api = { SVC_SETTLE_WAIT_MS: '0' };

export const completed = async (world: World) => (await paymentStatuses(world))['completed'] ?? 0;

/**
 * Checks as the crash tests do that all payments completed and the ledger agrees with the chain. Also checks that
 * nothing was repaired on the way, because watchers repair much: no reversal, no nonce used twice or replaced, and no
 * write by a process after it lost the lease.
 */
export async function allIsWell(world: World, seconds: number): Promise<boolean> {
  const settled = waitFor(async () => (await completed(world)) === PAYMENTS, seconds, 'all completed');
  const done = await settled.then(
    () => true,
    () => false,
  );
  return done && (await ledgerCheck(world)).exitCode === 0 && (await nothingWasMended(world));
}

async function nothingWasMended({ database }: World): Promise<boolean> {
  const { rows } = await database.pool.query<{ mended: boolean }>(
    `select exists (select from svc.ledger_entries where reverses is not null)
       or exists (select from svc.batches where status = 'replaced')
       or exists (
         select from svc.batches one join svc.batches other on other.relayer = one.relayer and other.id <> one.id
         where other.nonce = one.nonce or (other.nonce > one.nonce and other.epoch < one.epoch)
       ) as mended`,
  );
  return rows[0]?.mended === false;
}

export async function payInTheMiddleOf(world: World, crash: () => Promise<void>): Promise<void> {
  const calls = await prepareMany(world, await richPayers(world, 10), PAYMENTS);
  const sent = settleAll(world, calls);
  await waitFor(async () => (await batchCount(world)) > 0, 30, 'begun');
  await crash();
  await sent;
}

async function batchCount({ database }: World): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>('select count(*)::integer as count from svc.batches');
  return rows[0]?.count ?? 0;
}

export const RIVALS = {
  rival: true,
  blockTimeSeconds: 0.3,
  api,
  settlement: { SVC_SETTLEMENT_GATHER_MS: '10' },
} as const;

/** Minimum number of lease changes. */
const CHANGES = 20;
const CHANGES_PATIENCE_MS = 30_000;

/** Wakes the lane in both engines over and over, so that the lease changes all the time. */
export async function payBetweenRivals(world: World): Promise<void> {
  const { engine, rivalEngine, chain } = world;
  if (rivalEngine === undefined) return payInTheMiddleOf(world, async () => {});
  const relayer = chain.keys.relayers[0]?.account.address.toLowerCase() ?? '';
  const lane = `${chain.network}/${relayer}`;
  const wake = (ingressUrl: string) => createWakeDrain([ingressUrl])(LANE_DRAIN, lane);
  // A settlement registers with its engine after it listens; until then the engine answers a wake with 404.
  for (const { ingressUrl } of [engine, rivalEngine]) {
    const isRegistered = () =>
      wake(ingressUrl).then(
        () => true,
        () => false,
      );
    await waitFor(isRegistered, 30, 'registered with its engine');
  }
  const ending = new AbortController();
  const paying = payInTheMiddleOf(world, async () => {}).finally(() => ending.abort());
  const startMs = performance.now();
  const changedEnough = async () =>
    (await laneEpoch(world)) > CHANGES || performance.now() - startMs > CHANGES_PATIENCE_MS;
  while (!ending.signal.aborted || !(await changedEnough())) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    for (const { ingressUrl } of [engine, rivalEngine]) await wake(ingressUrl);
  }
  await paying;
}

/** Epoch of the lane: grows by one with each take-over. */
export async function laneEpoch({ database }: World): Promise<number> {
  const { rows } = await database.pool.query("select epoch from svc.relayers where duty = 'settle'");
  return Number(rows[0].epoch);
}
