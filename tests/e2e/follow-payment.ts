// Reads the facts of one payment: its events, its ledger entries, and the balances on chain.
import type { Address } from 'viem';
import { expect } from 'vitest';
import { richPayers, waitFor } from './many-payments.ts';
import type { World } from './start-world.ts';
import { type Payer, prepare, type SettleCall, settle } from './wallet.ts';

export const PRICE = 1_500_000n;
export const NO_WAIT = { api: { SVC_SETTLE_WAIT_MS: '0' } };

export const usdcOf = ({ chain }: World, owner: Address) => chain.balanceOf(chain.tokens.usdc, owner);

export async function eventsOf({ database }: World, { paymentIntentId }: SettleCall) {
  const { rows } = await database.pool.query<{ type: string; body: Buffer }>(
    'select type, body from svc.events where intent_id = $1 order by sequence',
    [paymentIntentId],
  );
  return rows.map(({ type, body }) => ({
    type,
    data: (JSON.parse(body.toString()) as { data: { object: Record<string, unknown>; previous_attributes?: object } })
      .data,
  }));
}

export async function entriesOf({ database }: World, { paymentIntentId }: SettleCall) {
  const { rows } = await database.pool.query<{ line: string }>(
    `select e.account_name || ' ' || e.amount as line from svc.ledger_entries e
     join svc.payments p on p.id = e.payment_id where p.intent_id = $1 and e.asset <> 'native' order by e.id`,
    [paymentIntentId],
  );
  return rows.map(({ line }) => line).sort();
}

export async function onePayer(world: World): Promise<Payer> {
  const [payer] = await richPayers(world, 1);
  if (payer === undefined) throw new Error('no payer');
  return payer;
}

/** Creates a claimed and queued payment while settlement is down. */
export async function queuedWithoutSettlement(world: World, payer: Payer): Promise<SettleCall> {
  const call = await prepare(world, payer);
  await world.settlement.kill('SIGKILL');
  expect((await settle(world, call)).status).toBe('processing');
  return call;
}

export const ends = (world: World, call: SettleCall, status: string) =>
  waitFor(async () => (await settle(world, call)).status === status, 40, status);
