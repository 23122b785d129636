// Prepares hundreds of payments: funded payers, intents, and signed headers.

import type { World } from './start-world.ts';
import type { Payer } from './wallet.ts';
import { payerOf, prepare, type SettleCall, type SettleResult, settle } from './wallet.ts';

const PRICE_ATOMIC = 1_500_000n;

export async function richPayers({ chain }: World, count: number): Promise<readonly Payer[]> {
  const keys = await Promise.all(Array.from({ length: count }, () => chain.newKey()));
  await Promise.all(keys.map(({ account }) => chain.mint(chain.tokens.usdc, account.address, PRICE_ATOMIC * 1_000n)));
  return keys.map(({ account }) => payerOf(account));
}

export async function prepareMany(world: World, payers: readonly Payer[], count: number): Promise<SettleCall[]> {
  const calls: SettleCall[] = [];
  const AT_ONCE = 25;
  while (calls.length < count) {
    const wanted = Math.min(AT_ONCE, count - calls.length);
    const next = Array.from({ length: wanted }, (_, index) => payers[(calls.length + index) % payers.length]);
    calls.push(...(await Promise.all(next.map((payer) => prepare(world, payer as Payer)))));
  }
  return calls;
}

export function settleAll(world: World, calls: readonly SettleCall[]): Promise<SettleResult[]> {
  return Promise.all(calls.map((call) => settle(world, call)));
}

export type Tally = Readonly<Record<string, number>>;

export async function paymentStatuses({ database }: World): Promise<Tally> {
  const { rows } = await database.pool.query<{ status: string; count: number }>(
    'select status, count(*)::integer as count from svc.payments group by status order by status',
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

/** `tell`: what the error says beside what was waited for. */
export async function waitFor(
  met: () => Promise<boolean>,
  seconds: number,
  what: string,
  tell: () => Promise<string> = async () => '',
): Promise<void> {
  const startMs = performance.now();
  while (!(await met())) {
    if (performance.now() - startMs > seconds * 1_000)
      throw new Error(`after ${seconds} s: not ${what}\n${await tell()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const LAST_LINES = 30;

/** What lanes did and left undone, to tell why payments do not end. */
export async function describeLanes(world: World): Promise<string> {
  const { pool } = world.database;
  const [settlements, relayers, batches, statements] = await Promise.all(
    [
      'select status, count(*)::integer, min(retry_at) as retry_at from svc.settlements group by status order by status',
      `select address, status, condition, obstacle, awake, epoch, next_nonce, now() - heartbeat_at as silent
       from svc.relayers order by address`,
      `select nonce, status, item_count, now() - created_at as age, now() - updated_at as unchanged
       from svc.batches order by nonce desc limit 8`,
      `select application_name, state, wait_event_type, now() - state_change as since, left(query, 60) as query
       from pg_stat_activity where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`,
    ].map(async (text) => (await pool.query<Readonly<Record<string, unknown>>>(text)).rows),
  );
  const said = world.settlement.output().trimEnd().split('\n').slice(-LAST_LINES);
  const rows = { payments: await paymentStatuses(world), settlements, relayers, batches, statements };
  return `${JSON.stringify(rows, null, 1)}\n${said.join('\n')}`;
}
