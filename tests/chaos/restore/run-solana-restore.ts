// The drill on Solana: payments, a backup, more payments, some under way, and then database and engine are lost. Every
// transaction that the chain has must be in the restored books once, and nothing else.
import { setTimeout as sleep } from 'node:timers/promises';
import { drawActors, signAsWallet } from '@svc-pay/solana/testing';
import type { Progress } from '../../progress.ts';
import { createDice } from '../harness/dice.ts';
import { svcOfPage } from '../harness/page-commands.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { type SolanaChaosWorld, startSolanaChaosWorld } from '../solana/world.ts';
import { isSending, openRestores } from './look.ts';
import type { RestorePlan } from './run-restore.ts';
import { type Answer, svcOn } from './svc.ts';

export type SolanaRestoreResult = {
  readonly problems: readonly string[];
  /** Transactions of the relayer that moved money, at the end. */
  readonly landed: number;
  /** Payments of the chain that the restored database did not have. */
  readonly lacked: number;
  /** Transactions of the chain right after the restore, before any service runs: each is in the books once. */
  readonly restored: number;
  readonly recoverSeconds: number;
  readonly seconds: number;
};

type Payer = Awaited<ReturnType<typeof drawActors>>['payer'];

const BEFORE = 15;
const IN_FLIGHT = 10;
const UNTIL_SENT_MS = 250;
const AT_ONCE = 20;
const QUIET_MS = 90_000;
const MINTED_ATOMIC = 1_000_000_000_000n;
const AMOUNT_ATOMIC = 1_500_000n;
const TRIES = 20;

export async function runSolanaRestore(
  { payments, before = BEFORE, seed, pgbackrest }: RestorePlan,
  { print }: Progress,
): Promise<SolanaRestoreResult> {
  const startMs = performance.now();
  const seconds = (since = startMs) => Math.round((performance.now() - since) / 100) / 10;
  const world = await startSolanaChaosWorld(seed, createDice(seed), undefined, { pgbackrest });
  const problems: string[] = [];
  let red = true;
  try {
    const { payer } = await drawActors();
    for (const owner of [payer.address, world.feeAccount, ...recipientsOf(world)])
      await world.faucet.fundToken(owner, owner === payer.address ? MINTED_ATOMIC : 0n);
    await payMany(world, payer, before);
    // Intents of the backup that are paid after it, beside those that are lost with the database.
    const known = await Promise.all(
      Array.from({ length: Math.floor(payments / 2) }, (_, one) => createIntent(world, one)),
    );
    await world.postgres.backUp(`${world.directory}/backup`);
    await inTurn(known.length, (one) => payIntent(world, payer, one, known[one] ?? ''));
    await payMany(world, payer, payments - known.length);
    print(`${before + payments} payments settled after ${seconds()} s; now everything is lost`);
    const underway = payMany(world, payer, IN_FLIGHT, 1).catch(() => {});
    await waitUntil(() => isSending(world), SENDING_MS, 20);
    await sleep(UNTIL_SENT_MS);
    const services = [world.api, world.settlement, world.sender];
    await Promise.all(services.map((service) => service.kill()));
    await underway;
    await world.postgres.loseAndRestore(`${world.directory}/backup`);
    await world.engine.restart('emptied');
    const lacking = await differences(world);
    if (lacking.length < payments) problems.push(`the restored books lack ${lacking.length}, not ${payments} or more`);
    const recoverMs = performance.now();
    const recover = (killAt?: string): Promise<Answer> =>
      svcOn({ databaseUrl: world.postgres.url, networks: world.networks }, RECOVER, killAt);
    await recover('transactions, ');
    if ((await openRestores(world)).length !== 1) problems.push('nothing notes where a restore that was killed began');
    const recovering = recover();
    problems.push(...(await tryToWork(world)));
    const recovered = await recovering;
    if ((await openRestores(world)).length !== 0) problems.push('a restore that has ended is still noted');
    const recoverSeconds = seconds(recoverMs);
    print(`recovered in ${recoverSeconds} s, killed once`);
    if (recovered.exitCode !== 0)
      problems.push(`recovering failed: ${JSON.stringify(recovered.data)} ${recovered.progress}`);
    problems.push(...(await differences(world)));
    const restored = (await landedOf(world)).length;
    for (const service of services) await service.start();
    await payMany(world, payer, AFTER);
    const calm = () => isQuiet(world);
    if (!(await waitUntil(calm, QUIET_MS, 200))) problems.push('it does not come to rest');
    problems.push(...(await differences(world)));
    const landed = (await landedOf(world)).length;
    if (landed < before + payments + AFTER) problems.push(`only ${landed} transactions landed`);
    red = problems.length > 0;
    return { problems, landed, lacked: lacking.length, restored, recoverSeconds, seconds: seconds() };
  } finally {
    await world.stop(red);
    if (red) print(`the evidence is in ${world.directory}`);
  }
}

const AFTER = 10;
const RECOVER = svcOfPage('recover --from-chain');
const SENDING_MS = 10_000;
const UNTIL_LOCKED_MS = 10_000;

/** A service that is started while the restore runs gets no connection, and makes no intent. */
async function tryToWork(world: SolanaChaosWorld): Promise<readonly string[]> {
  await waitUntil(() => isLocked(world), UNTIL_LOCKED_MS, 50);
  const started = await world.api.start().then(
    () => true,
    () => false,
  );
  const isRefused = await createIntent(world, 0).then(
    (id) => !id.startsWith('pi_'),
    () => true,
  );
  const stillLocked = await isLocked(world);
  await world.api.kill();
  if (!stillLocked) return ['the restore ended before a service was started beside it'];
  return isRefused ? [] : [`a service ${started ? 'works' : 'worked'} while the restore runs`];
}

/** A restore holds the lock alone. */
async function isLocked({ postgres }: SolanaChaosWorld): Promise<boolean> {
  const { rowCount } = await postgres.pool.query(
    `select from pg_locks where locktype = 'advisory' and granted and mode = 'ExclusiveLock'
       and database = (select oid from pg_database where datname = current_database())`,
  );
  return rowCount === 1;
}

const recipientsOf = ({ shops }: SolanaChaosWorld) =>
  shops.flatMap(({ merchant, splits }) => [merchant, ...splits.map(({ to }) => to)]);

async function inTurn(count: number, make: (index: number) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < count; start += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - start) }, (_, index) => make(start + index)));
}

const payMany = (world: SolanaChaosWorld, payer: Payer, count: number, tries = TRIES) =>
  inTurn(count, async (index) => payIntent(world, payer, index, await createIntent(world, index), tries));

type Body = Readonly<Record<string, unknown>>;

async function ask({ apiUrl, shops }: SolanaChaosWorld, index: number, path: string, body: object): Promise<Body> {
  const key = shops[index % shops.length]?.publishableKey;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answer = await fetch(`${apiUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  return (await answer.json()) as Body;
}

async function createIntent(world: SolanaChaosWorld, index: number): Promise<string> {
  const body = { amount: AMOUNT_ATOMIC.toString(), tokenShortcode: 'soldevnet_usdc' };
  return String((await ask(world, index, '/sdk/public/payments/intents/x402', body))['paymentIntentId']);
}

/** Asks until the payment succeeded; a transaction that expired is prepared and signed anew. */
async function payIntent(
  world: SolanaChaosWorld,
  payer: Payer,
  index: number,
  paymentIntentId: string,
  tries = TRIES,
): Promise<void> {
  let last: Body = {};
  for (let tried = 0; tried < tries; tried += 1) {
    const wanted = { paymentIntentId, publicKey: payer.address };
    const unsigned = (await ask(world, index, '/sdk/public/payments/x402/prepare', wanted))['transactionBase64'];
    if (typeof unsigned !== 'string') continue;
    const signedTransactionBase64 = await signAsWallet(Uint8Array.from(Buffer.from(unsigned, 'base64')), payer);
    for (let asked = 0; asked < tries; asked += 1) {
      last = await ask(world, index, '/sdk/public/payments/x402/relay', { paymentIntentId, signedTransactionBase64 });
      if (last['status'] === 'succeeded' || last['status'] === 'completed') return;
      if (last['status'] === 'failed') break;
    }
  }
  throw new Error(`intent ${paymentIntentId} ends as ${JSON.stringify(last)}`);
}

/** Ids of the relayer's transactions that moved money, by the chain itself. */
async function landedOf({ chainUrl, relayer }: SolanaChaosWorld): Promise<readonly string[]> {
  const landed: string[] = [];
  for (let before: string | undefined; ; ) {
    const config = { limit: 500, commitment: 'confirmed', ...(before !== undefined && { before }) };
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'getSignaturesForAddress',
      params: [relayer, config],
    });
    const answer = await fetch(chainUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const { result } = (await answer.json()) as { result: readonly { signature: string; err: unknown }[] };
    landed.push(...result.filter(({ err }) => err === null).map(({ signature }) => signature));
    before = result.at(-1)?.signature;
    if (result.length < 500 || before === undefined) return landed;
  }
}

/** What the chain has and the books have not exactly once, and what the books have and the chain has not. */
async function differences(world: SolanaChaosWorld): Promise<readonly string[]> {
  const { rows } = await world.postgres.pool.query<{ id: string; payments: number; paid: string; told: number }>(
    `select p.transaction_id as id, count(distinct p.id)::integer as payments,
       coalesce(sum(e.amount) filter (where e.account_name = 'payer'), 0)::text as paid,
       (select count(*)::integer from svc.events v where v.payment_id = min(p.id) and v.type = 'payment.completed') as told
     from svc.payments p left join svc.ledger_entries e on e.payment_id = p.id and e.asset <> 'native'
     where p.status = 'completed' group by p.transaction_id`,
  );
  const booked = new Map(rows.map((row) => [row.id, row]));
  const landed = await landedOf(world);
  const wrong = landed.flatMap((id) => {
    const row = booked.get(id);
    const once = row?.payments === 1 && row.paid === (-AMOUNT_ATOMIC).toString() && row.told === 1;
    return once ? [] : [`${id} is on chain and stands in the books as ${JSON.stringify(row)}`];
  });
  const made = rows.filter(({ id }) => !landed.includes(id)).map(({ id }) => `${id} is in the books and not on chain`);
  return [...wrong, ...made];
}

async function isQuiet({ postgres }: SolanaChaosWorld): Promise<boolean> {
  const { rows } = await postgres.pool.query<{ open: boolean }>(
    `select exists (select from svc.settlements where status in ('queued', 'held', 'batched', 'mined')) as open`,
  );
  return rows[0]?.open === false;
}
