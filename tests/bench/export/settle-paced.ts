// Settlements at a set rate, whatever the answers take: a closed loop would send fewer when they take longer.
import { quantile } from '../../quantile.ts';
import { type Connection, openConnection } from '../settle/connection.ts';
import { openLoop } from '../settle/open-loop.ts';
import type { SettleCall } from '../settle/prepare-calls.ts';
import { headOf, proveSettled } from '../settle/prove-settled.ts';
import type { SettleWorld } from '../settle/settle-world.ts';

export type Paced = {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly failed: number;
  /** What the webhooks service asked of the database meanwhile. */
  readonly webhookStatements: number;
};

const DRAIN_MS = 60_000;

export async function settlePaced(world: SettleWorld, calls: readonly SettleCall[], perSecond: number): Promise<Paced> {
  const fromBlock = await headOf(world.rpc);
  const statementsBefore = await webhookStatements(world);
  const all: Connection[] = [];
  const finished = await openLoop(calls, perSecond, calls.length, async ({ bytes }, slot) => {
    const connection = (all[slot] ??= openConnection(world.apiPort));
    await connection.ask(bytes);
  });
  const tookMs = finished.map(({ startMs, endMs }) => endMs - startMs);
  for (const connection of all) connection.end();
  const asked = (await webhookStatements(world)) - statementsBefore;
  const { settled } = await proveSettled(
    world,
    calls.map(({ intentId }) => intentId),
    fromBlock,
    DRAIN_MS,
  );
  return {
    p50Ms: Math.round(quantile(tookMs, 0.5)),
    p99Ms: Math.round(quantile(tookMs, 0.99)),
    failed: calls.length - settled.size,
    webhookStatements: asked,
  };
}

async function webhookStatements({ pool }: SettleWorld): Promise<number> {
  const { rows } = await pool.query<{ calls: number }>(
    `select coalesce(sum(calls), 0)::integer as calls from pg_stat_statements s join pg_roles r on r.oid = s.userid
     where not r.rolsuper and pg_has_role(s.userid, 'svc_webhooks', 'member')`,
  );
  return rows[0]?.calls ?? 0;
}
