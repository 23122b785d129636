// The drill: payments, a backup, many more payments, and then database and engines are lost. The backup is restored, the
// chain is asked, and whoever paid in between must find that it is so.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { submitDirectly } from '../../e2e/stranger.ts';
import type { Progress } from '../../progress.ts';
import { createDice } from '../harness/dice.ts';
import { svcOfPage } from '../harness/page-commands.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { type SettlementWorld, startSettlementWorld } from '../settlement/world.ts';
import { type ChainCount, compareWithChain } from './chain-books.ts';
import {
  balanceDifferences,
  codeEpoch,
  deliveryProblems,
  digestOfBooks,
  isSending,
  openRestores,
  readIntents,
} from './look.ts';
import {
  confirmAll,
  MINTED_ATOMIC,
  openPurses,
  type Purchase,
  prepareAll,
  settleAll,
  settleOne,
  type Told,
} from './shoppers.ts';
import { prepareCaps, settleStranded } from './stranded-caps.ts';
import { type Answer, svc } from './svc.ts';

export type RestorePlan = {
  /** Settled after the backup: nine of ten of intents that the backup knows. */
  readonly payments: number;
  /** Settled before the backup. */
  readonly before?: number;
  readonly seed: number;
  /** The program that backs up and restores to a moment; absent: files are copied. */
  readonly pgbackrest?: string | undefined;
};

export type RestoreResult = {
  readonly problems: readonly string[];
  /** Payments of the chain that the restored database did not have. */
  readonly lacked: number;
  /** Right after the restore, before any service runs. */
  readonly restored: Omit<ChainCount, 'problems'>;
  readonly atTheEnd: Omit<ChainCount, 'problems'>;
  readonly recovered: Readonly<Record<string, unknown>>;
  readonly recoverSeconds: number;
  readonly seconds: number;
};

const RECOVER = svcOfPage('recover --from-chain');
const BEFORE = 15;
const AFTER = 15;
/** On their way while the backup is made, beside those before and after it. */
const UNDER_WAY = 10;
/** On their way when everything is lost. */
const IN_FLIGHT = 10;
const SENDING_MS = 10_000;
const UNTIL_SENT_MS = 120;
const QUIET_MS = 60_000;

export async function runRestore(
  { payments, before: settledBefore = BEFORE, seed, pgbackrest }: RestorePlan,
  { print }: Progress,
): Promise<RestoreResult> {
  const startMs = performance.now();
  const seconds = (since = startMs) => Math.round((performance.now() - since) / 100) / 10;
  const world = await startSettlementWorld({ seed, dice: createDice(seed), pgbackrest });
  const problems: string[] = [];
  const expect = (isSo: boolean, what: string) => {
    if (!isSo) problems.push(what);
  };
  let red = true;
  try {
    const payers = await openPurses(world);
    world.receiver.tell({ calm: true });
    const early = await prepareAll(world, payers, settledBefore);
    await confirmAll(world, early);
    const earlyTold = await settleAll(world, early);
    const strangers = Math.ceil(payments / 10);
    const known = await prepareAll(world, payers, payments - strangers + UNDER_WAY);
    const flying = await prepareAll(world, payers, IN_FLIGHT);
    await confirmAll(world, flying);
    const caps = await prepareCaps(world, payers, 3);
    const [early1, late, open] = caps as readonly [Purchase, Purchase, Purchase];
    await confirmAll(world, [early1, open]);
    // Of the up-to ones some are confirmed before the backup and some after.
    await confirmAll(world, known.slice(0, known.length / 2));
    // Some are under way while the backup is made: they are in it as waiting, as sent, or not at all.
    const sentEarly = Math.min(UNDER_WAY, Math.floor(known.length / 2));
    const underway = settleAll(world, known.slice(0, sentEarly));
    await world.postgres.backUp(path.join(world.directory, 'backup'));
    print(`backed up after ${seconds()} s`);
    await confirmAll(world, known.slice(known.length / 2));
    const lost = await prepareAll(world, payers, strangers);
    await confirmAll(world, lost);
    const [gone] = (await prepareCaps(world, payers, 1)) as readonly [Purchase];
    await confirmAll(world, [late, gone]);
    // Strangers submit caps to the token, and the merchants settle with the stranded money.
    const stranded = [early1, late, gone];
    for (const { call } of stranded) await submitDirectly(world, call);
    const told = [...(await underway), ...(await settleAll(world, known.slice(sentEarly)))];
    const lostTold = await settleAll(world, lost);
    const strandedTold = await settleStranded(world, stranded);
    expect(allSucceeded(strandedTold), `stranded caps are told ${JSON.stringify(strandedTold)}`);
    expect(allSucceeded([...earlyTold, ...told, ...lostTold]), 'not every payment succeeded before the disaster');
    const epochBefore = await codeEpoch(world);
    print(`${payments} payments settled after ${seconds()} s; now everything is lost`);

    const cutOff = Promise.allSettled(flying.map((purchase) => settleOne(world, purchase)));
    await waitUntil(() => isSending(world), SENDING_MS, 20);
    await new Promise((resolve) => setTimeout(resolve, UNTIL_SENT_MS));
    const services = [...world.apis, ...world.senders, ...world.settlements];
    await Promise.all(services.map((service) => service.kill()));
    await cutOff;
    await world.postgres.loseAndRestore(path.join(world.directory, 'backup'));
    for (const engine of world.engines) await engine.restart('emptied');
    const before = await svc(world, svcOfPage('ledger check'));
    expect(before.exitCode === 1, 'the restored books are said to hold, and the chain has more');
    const lacked = (await compareWithChain(world)).problems.length;
    expect(lacked >= payments, `the restored books lack ${lacked} payments of the chain, not ${payments} or more`);
    await expectRefusal(world, expect);
    expect((await svc(world, svcOfPage('migrate'))).exitCode === 0, 'the restored database can not be migrated');
    const recoverMs = performance.now();
    await svc(world, RECOVER, 'begin anew');
    expect((await openRestores(world)).length === 1, 'nothing notes where a restore that was killed began');
    const recovered = await svc(world, RECOVER);
    const recoverSeconds = seconds(recoverMs);
    print(`recovered in ${recoverSeconds} s`);
    expect(recovered.exitCode === 0, `recovering failed: ${JSON.stringify(recovered.data)} ${recovered.progress}`);
    const books = await digestOfBooks(world);
    expect((await openRestores(world)).length === 0, 'a restore that has ended is still noted');
    const again = await svc(world, RECOVER);
    expect(again.exitCode === 0, 'the second run failed');
    const rebooked = await digestOfBooks(world);
    for (const [table, digest] of Object.entries(books))
      expect(rebooked[table] === digest, `a second run changes ${table}`);
    await expectBooks(world, payers, expect, 'after recovering');
    const { problems: unrestored, ...restored } = await compareWithChain(world);
    problems.push(...unrestored);
    expect(restored.stranded === stranded.length, `${restored.stranded} stranded payments are on chain`);
    await expectPaid(world, [...known, early1, late], [...told, ...strandedTold.slice(0, 2)], expect);
    expect(adopted(recovered) === strangers + 1, `not ${strangers + 1} payments of lost intents are listed`);
    expect((await codeEpoch(world)) !== epochBefore, 'intent codes go on in the epoch that was lost');

    // A stranger submits one more while everything is down.
    await submitDirectly(world, open.call);
    for (const service of services) await service.start();
    const openTold = await settleStranded(world, [open]);
    expect(allSucceeded(openTold), `a cap that was stranded and not settled ends as ${JSON.stringify(openTold)}`);
    const replayed = await settleAll(world, known);
    for (const [index, answer] of replayed.entries())
      expect(
        sameSuccess(answer, told[index]),
        `a repeated header hears ${JSON.stringify(answer)}, before ${JSON.stringify(told[index])}`,
      );
    // Whoever was cut off asks again, and hears the truth: paid once, by whatever had become of the first attempt.
    const landed = await settleAll(world, flying);
    expect(allSucceeded(landed), `what was under way at the disaster ends as ${JSON.stringify(landed)}`);
    const unknown = await Promise.all(lost.map((purchase) => settleOne(world, purchase)));
    expect(
      unknown.every(({ http }) => http === 404),
      `lost intents answer ${JSON.stringify(unknown.slice(0, 3))}`,
    );
    const fresh = await prepareAll(world, payers, AFTER);
    await confirmAll(world, fresh);
    expect(allSucceeded(await settleAll(world, fresh)), 'new payments do not succeed');
    print(`headers repeated and ${AFTER} new payments after ${seconds()} s`);
    const quiet = await waitUntil(() => isQuiet(world), QUIET_MS, 200);
    expect(quiet, 'it does not come to rest');
    await expectBooks(world, payers, expect, 'at the end');
    const { problems: wrong, ...atTheEnd } = await compareWithChain(world);
    problems.push(...wrong);
    await expectPaid(world, [...known, ...early, ...flying], [...told, ...earlyTold, ...landed], expect);
    const delivered = await deliveryProblems(world, arrivals(world));
    expect(delivered.pending + delivered.missing === 0, `deliveries: ${JSON.stringify(delivered)}`);
    red = problems.length > 0;
    const counts = { lacked, restored, atTheEnd, recovered: summary(recovered) };
    return { problems, ...counts, recoverSeconds, seconds: seconds() };
  } finally {
    await world.stop(red);
    if (red) print(`the evidence is in ${world.directory}`);
  }
}

type Expect = (isSo: boolean, what: string) => void;

const allSucceeded = (told: readonly Told[]) =>
  told.every(({ http, status }) => http === 200 && status === 'succeeded');

function sameSuccess(now: Told, then: Told | undefined): boolean {
  return (
    now.http === 200 &&
    now.status === 'succeeded' &&
    now.transactionId === then?.transactionId &&
    now.splitId === then?.splitId &&
    now.paidAmount === then?.paidAmount
  );
}

async function expectRefusal(world: SettlementWorld, expect: Expect): Promise<void> {
  const service = new pg.Client({ connectionString: world.postgres.url, application_name: 'svc-settlement' });
  await service.connect();
  const { exitCode, data } = await svc(world, RECOVER);
  expect(exitCode === 1 && data['error'] === 'services_running', `beside a service it says ${JSON.stringify(data)}`);
  await service.end();
}

async function expectBooks(
  world: SettlementWorld,
  payers: readonly { address: string }[],
  expect: Expect,
  when: string,
) {
  const check = await svc(world, svcOfPage('ledger check'));
  expect(check.exitCode === 0, `the books do not hold ${when}: ${JSON.stringify(check.data).slice(0, 2_000)}`);
  const had = new Map(payers.map(({ address }) => [address.toLowerCase(), MINTED_ATOMIC]));
  for (const difference of await balanceDifferences(world, had)) expect(false, `${when}: ${difference}`);
}

async function expectPaid(
  world: SettlementWorld,
  purchases: readonly Purchase[],
  told: readonly Told[],
  expect: Expect,
) {
  const intents = await readIntents(world);
  for (const [index, { call }] of purchases.entries()) {
    const intent = intents.get(call.paymentIntentId);
    const then = told[index];
    const so =
      intent?.status === 'completed' &&
      intent.paymentStatus === 'completed' &&
      intent.completedEvents === 1 &&
      intent.transactionId === then?.transactionId &&
      intent.splitId === then?.splitId &&
      intent.paidAmount === then?.paidAmount;
    expect(so, `intent ${call.paymentIntentId} stands as ${JSON.stringify(intent)}, told was ${JSON.stringify(then)}`);
  }
}

type NetworkData = { readonly adopted: readonly unknown[] } & Readonly<Record<string, unknown>>;
const networkOf = ({ data }: Answer) => (data['networks'] as readonly NetworkData[] | undefined)?.[0];
const adopted = (answer: Answer) => networkOf(answer)?.adopted.length;

function summary(answer: Answer): Readonly<Record<string, unknown>> {
  const { adopted: list = [], ...rest } = networkOf(answer) ?? {};
  return { ...rest, adopted: list.length };
}

async function isQuiet({ postgres }: SettlementWorld): Promise<boolean> {
  await postgres.pool.query(
    `update svc.deliveries set next_at = now() where status = 'pending' and lease_until is null and next_at > now()`,
  );
  const { rows } = await postgres.pool.query<{ open: boolean }>(
    `select exists (select from svc.settlements where status in ('queued', 'held', 'batched', 'mined'))
       or exists (select from svc.deliveries where status = 'pending') as open`,
  );
  return rows[0]?.open === false;
}

function arrivals({ receiverLog }: SettlementWorld): readonly { readonly event: string; readonly endpoint: string }[] {
  const lines = readFileSync(receiverLog, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as { event: string; endpoint: string });
}
