// The end of a run: nothing strikes any more, everything still open gets its time, every client asks once more, and the
// checker reads what is there.
import type { Progress } from '../../progress.ts';
import { checkPayments, type PaymentsVerdict } from '../checker/check-payments.ts';
import { waitUntil } from '../harness/wait-until.ts';
import type { Traffic } from './traffic.ts';
import type { SettlementWorld } from './world.ts';

const QUIET_MS = 150_000;

export async function conclude(
  world: SettlementWorld,
  traffic: Traffic,
  progress: Progress,
  patienceMs = QUIET_MS,
): Promise<PaymentsVerdict> {
  world.receiver.tell({ calm: true });
  const quiet = await settleDown(world, traffic, progress, patienceMs);
  world.history.note('quiet', { quiet });
  await traffic.askAgain();
  const found = await checkPayments(world.postgres.url, world.receiverLog, world.history.file);
  const deaths = [world.api, world.webhooks, world.receiver, ...world.settlements].filter(({ deaths: of }) => of() > 0);
  if (deaths.length === 0) return found;
  const dead = { rule: 'alive', text: `${deaths.length} processes ended by themselves` };
  return { ...found, violations: [dead, ...found.violations] };
}

/** Until every client knows, every transaction is final, and every delivery went out; retries are made due at once. */
async function settleDown(
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
