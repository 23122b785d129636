// The boundary nodes are down for a minute, for settlement alone: payers go on paying, and the rest of the service goes on.
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import { ends, onePayer } from './follow-payment.ts';
import type { IcpFollower } from './icp-follow.ts';
import { type IcpWorld, offer } from './icp-world.ts';
import { prepare } from './wallet.ts';

export async function liveThroughOutage(
  world: IcpWorld,
  { pay, countsNothing, countsOnce }: IcpFollower,
  downMs: number,
): Promise<void> {
  const [before, ending] = [await offer(world), await offer(world)];
  world.reach(false);
  const beganAtMs = Date.now();
  const paid = [await pay(before), await pay(ending)];
  const { pool } = world.database;
  await pool.query(`update svc.intents set expires_at = now() + interval '1 second' where id = $1`, [ending.id]);
  // A token whose ledger was read some minutes ago is still offered, and other networks do not notice.
  paid.push(await pay(await offer(world)));
  const elsewhere = await prepare(world, await onePayer(world));
  await ends(world, elsewhere, 'succeeded');
  for (let quarter = 1; quarter <= 4; quarter += 1) {
    await wait(Math.max(0, beganAtMs + (downMs * quarter) / 4 - Date.now()));
    await Promise.all(paid.map(countsNothing));
  }
  const late = /^reader_token_ledger_late_seconds\{network="icp:local"\} (\S+)$/m;
  const metrics = await (await fetch(`${world.internalUrl}/metrics`)).text();
  expect(Number(late.exec(metrics)?.[1])).toBeGreaterThan((downMs / 1_000) * 0.7);
  world.reach(true);
  await Promise.all(paid.map(countsOnce));
}
