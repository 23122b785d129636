// PostgreSQL 18.4 prunes partitions through freed memory after a statement has locked a row that another transaction changed:
// docs/internals/planner-rules.md, rule 14.
import { isoTime } from '@svc-pay/core';
import { newId } from '@svc-pay/protocol/ids';
import pg from 'pg';
import { expect, test, vi } from 'vitest';
import { createDeliveryStore } from '../delivery/delivery-store.ts';
import { loadEndpointFacts } from '../delivery/endpoint-facts.ts';
import { expireIntents } from '../intent/expire-intents.ts';
import { countProven } from '../reader/count-proven.ts';
import { countRecorded } from '../reader/count-read.ts';
import { dropRecorded } from '../reader/drop-recorded.ts';
import { createApplyHarness } from '../testing/apply-harness.ts';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { createLaneWorld } from '../testing/lane-world.ts';
import { inTransaction } from './in-transaction.ts';

const BY_INDEX = '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c jit=off';
// On empty tables the planner reads all rows between two bounds rather than look each up by its key, and a choice of partitions by
// that key is not in the plan. A high price of a comparison makes it take the key.
const BY_KEY = `${BY_INDEX} -c enable_material=off -c cpu_operator_cost=1`;
const PRINTED = '-c debug_print_plan=on -c debug_pretty_print=off -c client_min_messages=log';
const LOCKS = /\bfor (no key update|update|share|key share)\b/;
const DAY_MS = 86_400_000;
const TRANSACTION = `0x${'ab'.repeat(32)}`;

/** Prunes after a lock, as no statement of ours may. */
const WRONG = `
  with held as materialized (select id from svc.batches where id = $1 for update),
  proofs as materialized (
    select proof.payment_id from held
    cross join lateral (select payment_id from svc.log_proofs found where found.transaction_id = held.id limit 1) proof
  )
  select payment_id from proofs`;
/** Locks in a part that runs again for each row of another: the lock ends and begins again between two choices. */
const WRONG_AGAIN = `
  select intent.id from unnest($1::text[]) as given (id)
  cross join lateral (select id from svc.intents found where found.id = given.id limit 1 for update skip locked) intent`;
/** Chooses partitions by values of the statement, and among those by a value of another part. */
const TWICE = `
  select payment.status from unnest($1::text[]) as given (id)
  cross join lateral (
    select status from svc.payments found where found.id = given.id and found.id >= $2 and found.id < $3 offset 0
  ) payment`;
/** They have read all partitions when the lock ends: of batches, or of intents that are locked as they are found. */
const LOCK_LAST = new Set(['count-proven-logs', 'count-recorded-log', 'drop-recorded-logs', 'expire-intents']);

const { pool, url } = await createTestDatabase();

type Asked = { readonly name: string; readonly text: string };

/** Statements by name that were sent while `work` ran. */
async function namedStatements(work: () => Promise<void>): Promise<Map<string, string>> {
  const heard = vi.spyOn(pg.Client.prototype, 'query');
  try {
    await work();
    return new Map(
      heard.mock.calls.flatMap(([asked]) => {
        const { name, text } = asked as { name?: string; text?: string };
        return name === undefined || text === undefined ? [] : [[name, text] as const];
      }),
    );
  } finally {
    heard.mockRestore();
  }
}

/** The plans that are made while `text` runs, those of statements in functions among them, in the server's own form. */
async function printedPlans(client: pg.Client, text: string, values?: readonly unknown[]): Promise<readonly string[]> {
  const printed: string[] = [];
  const note = ({ message, detail }: { message?: string | undefined; detail?: string | undefined }) => {
    if (message === 'plan:' && detail !== undefined) printed.push(detail);
  };
  client.on('notice', note);
  await client.query(text, values?.slice());
  client.off('notice', note);
  return printed;
}

/** How the plan of a statement that names no values is printed. */
const printedPlan = async (client: pg.Client, text: string): Promise<string> =>
  (await printedPlans(client, `explain (generic_plan) ${text}`)).join('');

const prunesWhileItRuns = (printed: string): boolean => /:exec_pruning_steps\s+\(/.test(printed);

async function printing(
  planner: string,
  work: (client: pg.Client) => Promise<void>,
  connectionString = url,
): Promise<void> {
  const client = new pg.Client({ connectionString, options: `${planner} ${PRINTED}` });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** Whether a scan chooses partitions when the statement begins, and among those again while it runs. */
const prunesTwice = (printed: string): boolean =>
  printed
    .split('{PARTITIONPRUNEINFO')
    .slice(1)
    .some((info) => /:initial_pruning_steps\s+\(/.test(info) && prunesWhileItRuns(info));

/**
 * Whether the statement locks rows and a scan chooses its partitions while it runs: one in a part of a `with` or in a subquery,
 * or beside the lock in the outermost part.
 */
function prunesBesideLock(printed: string): boolean {
  const [, ...infos] = printed.split('{PARTITIONPRUNEINFO');
  const prunes = (part: string) =>
    [...part.matchAll(/:part_prune_index\s+(\d+)/g)].some(([, index]) => prunesWhileItRuns(infos[Number(index)] ?? ''));
  const start = printed.indexOf(':subplans');
  const [outermost, parts] = [printed.slice(0, start), printed.slice(start, printed.indexOf(':rewindPlanIDs'))];
  const locks = (part: string) => part.includes('{LOCKROWS');
  return (locks(outermost) && prunes(outermost)) || (locks(printed) && prunes(parts));
}

test('no statement of payments, deliveries and read logs prunes in its parts after a lock, or twice in an update', async () => {
  const { caller, lane, queue, settle } = await createLaneWorld(pool);
  const { network } = lane;
  const endpoint = { accountId: caller.accountId, mode: caller.mode, endpointId: newId('endpoint', Date.now()) };
  const log = {
    event: 'payment_settled' as const,
    address: '0xaa',
    intentCode: 1n,
    payer: '0xbb',
    asset: '0xcc',
    payoutId: 1n,
    amountAtomic: 1n,
    feeAtomic: 0n,
    position: { transactionId: TRANSACTION, logIndex: 0, blockNumber: 1n, blockHash: '0x1' },
  };
  await pool.query(
    `insert into svc.read_logs
      (network, transaction_id, log_index, address, block_number, block_hash, event, log, created_at)
      values ($1, $2, 0, $3, 1, '0x1', 'payment_settled', '{}', now())`,
    [network, TRANSACTION, log.address],
  );
  const statements = await namedStatements(async () => {
    await queue(2);
    await settle();
    await expireIntents(pool, Date.now(), 10);
    await createDeliveryStore(pool).leaseDeliveries([{ ...endpoint, room: 1, keptRoom: 0 }], Date.now(), 1_000);
    await inTransaction(pool, (client) => loadEndpointFacts(client, []));
    await inTransaction(pool, (client) => countProven(client, network, [log]));
    await dropRecorded(pool, network, [log]);
    await inTransaction(pool, (client) => countRecorded(client, network, TRANSACTION, newId('payment', Date.now())));
  });
  // Sent only for a batch that is held.
  const heard = {
    query: async (asked: Asked) => ({ rows: [{ id: 'btch_1' }], count: statements.set(asked.name, asked.text) }),
  };
  await countProven(heard as unknown as pg.ClientBase, network, [log]);
  const names = [...statements].filter(([, text]) => LOCKS.test(text)).map(([name]) => name);
  expect(names).toEqual(
    expect.arrayContaining(['claim-payment', 'claim-deliveries', 'hold-endpoints', 'expire-intents']),
  );
  expect(names).toEqual(expect.arrayContaining(['hold-batches-to-count', 'hold-recorded-logs', ...LOCK_LAST]));

  const judge = async (client: pg.Client) => {
    for (const wrong of [WRONG, WRONG_AGAIN]) expect(prunesBesideLock(await printedPlan(client, wrong))).toBe(true);
    expect(prunesTwice(await printedPlan(client, TWICE))).toBe(true);
    const twice: string[] = [];
    const pruning: string[] = [];
    for (const [name, text] of statements) {
      const printed = await printedPlan(client, text);
      if (printed.includes('{MODIFYTABLE') && prunesTwice(printed)) twice.push(name);
      if (!LOCKS.test(text)) continue;
      expect(printed, name).toContain(':subplans');
      if (prunesBesideLock(printed)) pruning.push(name);
    }
    expect(twice).toEqual([]);
    expect(pruning.filter((name) => !LOCK_LAST.has(name))).toEqual([]);
  };
  for (const planner of [BY_INDEX, BY_KEY]) await printing(planner, judge);
});

test('the function that removes unpaid intents locks each by a statement that prunes nothing while it runs', async () => {
  const harness = await createApplyHarness();
  const { intentId } = await harness.offer();
  await harness.cancelIntent(intentId);
  const { accountId, mode } = harness.caller;
  const values = [[accountId], [mode], [intentId], isoTime(Date.now() + 2 * DAY_MS)];
  const run = async (client: pg.Client) => {
    const plans = await printedPlans(client, 'select svc.remove_unpaid_intents($1, $2, $3, $4)', values);
    const locking = plans.filter((printed) => printed.includes('{LOCKROWS'));
    expect(locking.map(prunesWhileItRuns)).toEqual([false]);
    // The statements that delete look up by keys of the removed ones: the function came to its end.
    expect(plans.filter(prunesWhileItRuns).length).toBeGreaterThan(0);
  };
  await printing(BY_INDEX, run, harness.url);
});
