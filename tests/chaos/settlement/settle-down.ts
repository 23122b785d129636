import type { Progress } from '../../progress.ts';
import type { Violation } from '../checker/case-file.ts';
import { waitUntil } from '../harness/wait-until.ts';
import type { Traffic } from './traffic.ts';
import type { SettlementWorld } from './world.ts';

/** Until every client knows, every transaction is final, and every delivery went out; retries are made due at once. */
export async function settleDown(
  { postgres }: SettlementWorld,
  traffic: Traffic,
  progress: Progress,
  patienceMs: number,
): Promise<boolean> {
  const isQuiet = async () => {
    await postgres.pool.query(
      `update svc.deliveries set next_at = now()
       where status = 'pending' and lease_until is null and next_at > now() and next_at <> 'infinity'`,
    );
    const { rows } = await postgres.pool.query<{ payments: number; batches: number; deliveries: number }>(
      `select (select count(*)::integer from svc.settlements where status in ('queued', 'held', 'batched', 'mined')) as payments,
         (select count(*)::integer from svc.batches where status in ('signed', 'broadcast', 'mined')) as batches,
         (select count(*)::integer from svc.deliveries where status = 'pending') as deliveries`,
    );
    const { payments = 0, batches = 0, deliveries = 0 } = rows[0] ?? {};
    progress.show(
      traffic.ended(),
      `payments ended, open: ${payments} payments, ${batches} batches, ${deliveries} deliveries`,
    );
    return payments + batches + deliveries === 0 && traffic.ended() === traffic.released();
  };
  return waitUntil(isQuiet, patienceMs, 500);
}

/** Of a process that ended without being killed. */
export function findDeaths({ apis, settlements, senders, receiver }: SettlementWorld): readonly Violation[] {
  const dead = [...apis, ...settlements, ...senders, receiver].filter(({ deaths }) => deaths() > 0);
  return dead.length > 0 ? [{ rule: 'alive', text: `${dead.length} processes ended by themselves` }] : [];
}
