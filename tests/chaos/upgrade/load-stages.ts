// Stages of a drill under load, and what must be true of every payment at its end.
import type pg from 'pg';
import { expect } from 'vitest';
import { waitUntil } from '../harness/wait-until.ts';
import type { Load } from './load.ts';

const STAGE_MS = 40_000;
const QUIET_MS = 30_000;

export type LoadStages = {
  /** Waits for the payments of a stage. Fails if they do not come, or if any answer since the start was wrong. */
  readonly stage: (name: string) => Promise<void>;
  /** By stage, the longest time between two payments. */
  readonly pauses: Readonly<Record<string, number>>;
};

export function createLoadStages(load: Load, paidPerStage: number): LoadStages {
  const pauses: Record<string, number> = {};
  return {
    pauses,
    stage: async (name) => {
      const before = load.paid();
      const went = await waitUntil(async () => load.paid() >= before + paidPerStage, STAGE_MS);
      pauses[name] = load.longestPauseMs();
      expect({ name, went, failures: load.failures }).toEqual({ name, went: true, failures: [] });
    },
  };
}

/** Every answer was right, every payment is completed once, and its merchant was told. */
export async function expectEveryPaymentBooked(pool: pg.Pool, load: Load): Promise<void> {
  expect(load.failures).toEqual([]);
  const isQuiet = async () => {
    const { rows } = await pool.query(`select from svc.deliveries where status = 'pending' limit 1`);
    return rows.length === 0;
  };
  expect(await waitUntil(isQuiet, QUIET_MS)).toBe(true);
  const { rows } = await pool.query(
    `select (select count(*)::integer from svc.payments where status = 'completed') as completed,
       (select count(*)::integer from svc.payments where status <> 'completed') as others,
       (select sum(paid_amount)::text from svc.payments) as paid,
       (select count(*)::integer from svc.events where type = 'payment.completed') as told,
       (select count(*)::integer from svc.deliveries where status <> 'succeeded') as undelivered`,
  );
  expect(rows[0]).toEqual({
    completed: load.paid(),
    others: 0,
    paid: load.settledAtomic().toString(),
    told: load.paid(),
    undelivered: 0,
  });
}
