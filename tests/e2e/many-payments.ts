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

export async function waitFor(met: () => Promise<boolean>, seconds: number, what: string): Promise<void> {
  const startMs = performance.now();
  while (!(await met())) {
    if (performance.now() - startMs > seconds * 1_000) throw new Error(`after ${seconds} s: not ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
