// Reads the open work of a world from its database, and waits until there is none.
import type { Progress } from '../../progress.ts';
import type { Violation } from '../checker/case-file.ts';
import type { MortalPostgres } from './mortal-postgres.ts';
import type { Program } from './program.ts';
import { waitUntil } from './wait-until.ts';

type Recorded = { readonly postgres: Pick<MortalPostgres, 'pool'> };
type Clients = {
  readonly released: () => number;
  readonly ended: () => number;
  readonly refunding?: () => number;
  /** What is on a chain and not in the database yet. */
  readonly unread?: () => Promise<number>;
};

const OPEN = `status in ('queued', 'held', 'batched', 'mined')`;

/** Counts accepted payments without a result. */
export async function countInFlight({ postgres }: Recorded): Promise<number> {
  const { rows } = await postgres.pool.query<{ count: number }>(
    `select count(*)::integer as count from svc.settlements where ${OPEN}`,
  );
  return rows[0]?.count ?? 0;
}

/** Also true if no payment is left that could complete. */
export async function hasCompletedSince({ postgres }: Recorded, sinceMs: number): Promise<boolean> {
  const { rows } = await postgres.pool.query<{ over: boolean }>(
    `select not exists (select from svc.settlements where ${OPEN})
       or exists (select from svc.payments where completed_at > $1) as over`,
    [new Date(sinceMs)],
  );
  return rows[0]?.over === true;
}

/**
 * Waits until every client has its result, every transaction is final, every refund is decided and every delivery is sent;
 * makes retries due.
 */
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
    await world.postgres.pool.query(
      `update svc.refunds set retry_at = now() where status = 'queued' and retry_at > now()`,
    );
    const { rows } = await world.postgres.pool.query<{ batches: number; refunds: number; deliveries: number }>(
      `select (select count(*)::integer from svc.batches where status in ('signed', 'broadcast', 'mined')) as batches,
         (select count(*)::integer from svc.refunds where status in ('queued', 'sent')) as refunds,
         (select count(*)::integer from svc.deliveries where status = 'pending') as deliveries`,
    );
    const payments = await countInFlight(world);
    const { batches = 0, refunds = 0, deliveries = 0 } = rows[0] ?? {};
    const refunding = clients.refunding?.() ?? 0;
    const unread = (await clients.unread?.()) ?? 0;
    progress.show(
      clients.ended(),
      `payments ended, open: ${payments + unread} payments, ${batches} batches, ${refunds} refunds (${refunding} wait), ${deliveries} deliveries`,
    );
    return (
      payments + unread + batches + refunds + refunding + deliveries === 0 && clients.ended() === clients.released()
    );
  };
  return waitUntil(isQuiet, patienceMs, 500);
}

/** Reports merchants who still do not know how a refund of theirs ended. */
export function findWaiting({ refunding = () => 0 }: Clients): readonly Violation[] {
  const waiting = refunding();
  return waiting > 0 ? [{ rule: 'none lost', text: `${waiting} merchants wait for the end of a refund` }] : [];
}

/** Reports processes that ended without being killed. */
export function findDeaths(programs: readonly Program[]): readonly Violation[] {
  const dead = programs.filter(({ deaths }) => deaths() > 0);
  return dead.length > 0 ? [{ rule: 'alive', text: `${dead.length} processes ended by themselves` }] : [];
}
