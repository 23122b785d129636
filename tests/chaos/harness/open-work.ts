// What is still under way in a world, by its database, and the wait until nothing is.
import type { Progress } from '../../progress.ts';
import type { Violation } from '../checker/case-file.ts';
import type { MortalPostgres } from './mortal-postgres.ts';
import type { Program } from './program.ts';
import { waitUntil } from './wait-until.ts';

type Recorded = { readonly postgres: Pick<MortalPostgres, 'pool'> };
type Clients = { readonly released: () => number; readonly ended: () => number };

const OPEN = `status in ('queued', 'held', 'batched', 'mined')`;

/** Payments that were taken and have no end yet. */
export async function countInFlight({ postgres }: Recorded): Promise<number> {
  const { rows } = await postgres.pool.query<{ count: number }>(
    `select count(*)::integer as count from svc.settlements where ${OPEN}`,
  );
  return rows[0]?.count ?? 0;
}

/** Also when nothing is left that could complete. */
export async function hasCompletedSince({ postgres }: Recorded, sinceMs: number): Promise<boolean> {
  const { rows } = await postgres.pool.query<{ over: boolean }>(
    `select not exists (select from svc.settlements where ${OPEN})
       or exists (select from svc.payments where completed_at > $1) as over`,
    [new Date(sinceMs)],
  );
  return rows[0]?.over === true;
}

/** Until every client knows, every transaction is final, and every delivery went out; retries are made due at once. */
export async function settleDown(
  world: Recorded,
  clients: Clients,
  progress: Progress,
  patienceMs: number,
): Promise<boolean> {
  const isQuiet = async () => {
    await world.postgres.pool.query(
      `update svc.deliveries set next_at = now()
       where status = 'pending' and lease_until is null and next_at > now() and next_at <> 'infinity'`,
    );
    const { rows } = await world.postgres.pool.query<{ batches: number; deliveries: number }>(
      `select (select count(*)::integer from svc.batches where status in ('signed', 'broadcast', 'mined')) as batches,
         (select count(*)::integer from svc.deliveries where status = 'pending') as deliveries`,
    );
    const payments = await countInFlight(world);
    const { batches = 0, deliveries = 0 } = rows[0] ?? {};
    progress.show(
      clients.ended(),
      `payments ended, open: ${payments} payments, ${batches} batches, ${deliveries} deliveries`,
    );
    return payments + batches + deliveries === 0 && clients.ended() === clients.released();
  };
  return waitUntil(isQuiet, patienceMs, 500);
}

/** Of processes that ended without being killed. */
export function findDeaths(programs: readonly Program[]): readonly Violation[] {
  const dead = programs.filter(({ deaths }) => deaths() > 0);
  return dead.length > 0 ? [{ rule: 'alive', text: `${dead.length} processes ended by themselves` }] : [];
}
