// Settlements at a set rate, whatever the answers take: a closed loop would send fewer when they take longer.
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../../quantile.ts';
import { type Connection, openConnection } from '../settle/connection.ts';
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
  const free: Connection[] = [];
  const all: Connection[] = [];
  const tookMs: number[] = [];
  const beganMs = performance.now();
  const running = calls.map(async ({ bytes }, index) => {
    await sleep(Math.max(0, beganMs + (index * 1_000) / perSecond - performance.now()));
    const connection = free.pop() ?? open(world, all);
    const startMs = performance.now();
    await connection.ask(bytes);
    tookMs.push(performance.now() - startMs);
    free.push(connection);
  });
  await Promise.all(running);
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

function open({ apiPort }: SettleWorld, all: Connection[]): Connection {
  const opened = openConnection(apiPort);
  all.push(opened);
  return opened;
}

async function webhookStatements({ pool }: SettleWorld): Promise<number> {
  const { rows } = await pool.query<{ calls: number }>(
    `select coalesce(sum(calls), 0)::integer as calls from pg_stat_statements s join pg_roles r on r.oid = s.userid
     where not r.rolsuper and pg_has_role(s.userid, 'svc_webhooks', 'member')`,
  );
  return rows[0]?.calls ?? 0;
}
