// Many windows end unsettled together, and settlement is killed in the middle.
import { expect, test } from 'vitest';
import { expiringIntents as COUNT } from './config.ts';
import { waitFor } from './many-payments.ts';
import { startWorld, type World } from './start-world.ts';

const ENDING_SECONDS = 3;
const OTHERS = 50;

/** Inserts up-to intents in the state that confirm leaves. `ends` is SQL over `n`. */
async function confirmMany({ database, shop, chain }: World, mark: string, count: number, ends: string) {
  const parameters = [shop.accountId, chain.network, chain.tokens.usdc, chain.record.processor, mark, count];
  await database.pool.query(
    `with made as (
       select 'pi_' || $5 || lpad(n::text, 12, '0') as id, n, ${ends} as ends,
         sha256(convert_to($5 || n, 'UTF8')) as claim_key
       from generate_series(1, $6::integer) n
     ),
     intents as (
       insert into svc.intents (
         account_id, mode, id, intent_code, status, x402_upto, amount, ledger_id, network, token_shortcode,
         service_metadata, expires_at, created_at, updated_at
       )
       select $1, 'test', id, svc.next_intent_code(), 'requires_payment', true, 5, $3, $2, 'anvil_usdc',
         '{"svc_x402_upto_max_amount_atomic": "5"}', ends, now(), now() from made
     )
     insert into svc.authorizations (
       account_id, mode, intent_id, claim_key, kind, network, asset, payer, recipient, cap, valid_after, valid_before,
       nonce, signature, created_at
     )
     select $1, 'test', id, claim_key, 'transfer_with_authorization', $2, $3, '0x' || repeat('aa', 20), $4, 5, 1,
       extract(epoch from ends)::bigint, claim_key, claim_key, now() from made`,
    parameters,
  );
}

async function tally({ database }: World, mark: string): Promise<Readonly<Record<string, number>>> {
  const { rows } = await database.pool.query<{ what: string; count: number }>(
    `select status || ' at version ' || version as what, count(*)::integer as count from svc.intents
     where id like 'pi_' || $1 || '%' group by 1`,
    [mark],
  );
  return Object.fromEntries(rows.map(({ what, count }) => [what, count]));
}

test(`${COUNT} windows end within seconds, settlement is killed in the middle: each intent is canceled once`, async () => {
  const world = await startWorld();
  await confirmMany(world, 'stays', OTHERS, "now() + interval '1 hour'");
  await confirmMany(world, 'held', OTHERS, 'now()');
  // Intents in processing are being settled, and must not be canceled however late it is.
  await world.database.pool.query("update svc.intents set status = 'processing' where id like 'pi_held%'");
  const startMs = performance.now();
  const [half, rest] = [Math.floor(COUNT / 2), Math.ceil(COUNT / 2)];
  const spread = (count: number) => `now() + n * interval '${ENDING_SECONDS} seconds' / ${count}`;
  await confirmMany(world, 'over1', half, spread(half));
  const canceled = async () => (await tally(world, 'over'))['canceled at version 2'] ?? 0;
  await waitFor(async () => (await canceled()) > 0, 30, 'begun');
  // Inserted late, so that these windows are still open at the kill, also on a slow machine.
  await confirmMany(world, 'over2', rest, spread(rest));
  await world.settlement.kill('SIGKILL');
  const before = await canceled();
  expect(before).toBeGreaterThan(0);
  expect(before).toBeLessThan(COUNT);
  await world.settlement.start();
  await waitFor(async () => (await canceled()) === COUNT, 60, 'all canceled');
  const seconds = ((performance.now() - startMs) / 1_000).toFixed(1);
  console.log(`${COUNT} windows, ${before} of them canceled before the kill: all canceled after ${seconds} s`);
  expect(await tally(world, 'over')).toEqual({ 'canceled at version 2': COUNT });
  expect(await tally(world, 'stays')).toEqual({ 'requires_payment at version 1': OTHERS });
  expect(await tally(world, 'held')).toEqual({ 'processing at version 1': OTHERS });
});
