import { createHash } from 'node:crypto';
import {
  type Caller,
  type CreateIntentPorts,
  createIntent,
  createIntentCodes,
  createPricing,
  type IntentRecord,
  systemClock,
} from '@svc-pay/core';
import { sampleFamily } from '@svc-pay/core/testing';
import { atomicAmount } from '@svc-pay/money';
import { newId } from '@svc-pay/protocol/ids';
import { describe, expect, test, vi } from 'vitest';
import { createApiStores } from '../api-stores.ts';
import { type Database, openDatabase } from '../database/open-database.ts';
import { afterwards } from '../testing/afterwards.ts';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { insertRow } from '../testing/sample-rows.ts';
import { NETWORKS, seedMerchant } from '../testing/seed-merchant.ts';
import { startCutProxy } from '../testing/start-cut-proxy.ts';

const { pool, url } = await createTestDatabase();

const claimOf = (key: string, body = key) => ({
  key,
  storedKey: key,
  requestHash: createHash('sha256').update(body).digest(),
});

/** An API of its own, as a process has one. */
function openApi(at = url) {
  const database = openDatabase(at, {
    applicationName: 'svc-groups',
    maxConnections: 6,
    statementTimeoutMs: 10_000,
    byKeys: true,
    onConnectionLost: () => {},
  });
  afterwards(() => database.close());
  return { database, create: creatorOf(database) };
}

type Wanted = {
  readonly order: string;
  readonly key?: string;
  readonly body?: string;
  readonly ofPerson?: boolean;
  /** Changes what is recorded. */
  readonly change?: (record: IntentRecord) => IntentRecord;
};

function creatorOf(database: Database) {
  const stores = createApiStores(database, { clock: systemClock, cacheMs: 60_000 });
  const ports: CreateIntentPorts = {
    ...stores,
    clock: systemClock,
    families: [sampleFamily()],
    networks: NETWORKS,
    uptoSettles: true,
    facilitatorUrl: null,
    rateOf: createPricing({ clock: systemClock, maxAgeMs: 60_000, feed: async () => undefined }),
    priceLifeMs: 600_000,
    nextIntentCode: createIntentCodes(stores.reserveIntentCodes, 200),
  };
  return async (caller: Caller, { order, key, body, ofPerson, change = (record) => record }: Wanted) => {
    const created = await createIntent(
      { ...ports, recordIntent: (record) => stores.recordIntent(change(record)) },
      {
        caller: { ...caller, ...(ofPerson === true && { ofPerson: true }) },
        request: { usdAmount: '1.5', metadata: { order } },
        requestId: 'req_test',
        claim: key === undefined ? null : claimOf(key, body),
      },
    );
    if (!created.ok) throw new Error(created.code);
    const { paymentIntentId: id } = JSON.parse(created.answer.body) as { paymentIntentId: string };
    return { id, replayed: created.replayed };
  };
}

const orders = (count: number, of: string) => Array.from({ length: count }, (_, index) => `${of}-${index}`);

type Stored = {
  readonly id: string;
  readonly order: string;
  readonly codes: number;
  readonly acceptances: number;
  readonly events: number;
  readonly listed: number;
  readonly deliveries: number;
  readonly commit: string;
};

async function storedOf({ accountId }: Caller): Promise<readonly Stored[]> {
  const { rows } = await pool.query<Stored>(
    `select id, metadata::jsonb ->> 'order' as order, intent.xmin::text as commit,
       (select count(*)::integer from svc.intent_codes code
        where code.intent_id = intent.id and code.intent_code = intent.intent_code) as codes,
       (select count(*)::integer from svc.acceptances where intent_id = intent.id) as acceptances,
       (select count(*)::integer from svc.events where intent_id = intent.id) as events,
       (select count(*)::integer from svc.intent_metadata where intent_id = intent.id) as listed,
       (select count(*)::integer from svc.deliveries join svc.events event on event.id = event_id
        where event.intent_id = intent.id) as deliveries
     from svc.intents intent where account_id = $1 order by id`,
    [accountId],
  );
  return rows;
}

const WHOLE = { codes: 1, acceptances: 2, events: 1, listed: 1, deliveries: 1 };

/** Finds its intents by the metadata key `order`, and has an endpoint for new intents. */
async function seedListing(): Promise<Caller> {
  const caller = await seedMerchant(pool);
  const { accountId: account_id } = caller;
  await pool.query('insert into svc.metadata_keys (account_id, mode, key, declared_at) values ($1, $2, $3, now())', [
    account_id,
    caller.mode,
    'order',
  ]);
  await insertRow(pool, 'endpoints', {
    account_id,
    id: newId('endpoint', Date.now()),
    event_types: ['payment_intent.created'],
  });
  return caller;
}

const ROWS_OF_INTENTS = ['intent_codes', 'acceptances', 'events', 'intent_metadata'] as const;

/** Every stored intent is whole, no order has two, each answered one has the id that was answered, and no row is left over. */
async function expectWhole(
  caller: Caller,
  answered: readonly { readonly order: string; readonly id: string }[],
): Promise<readonly Stored[]> {
  const stored = await storedOf(caller);
  for (const intent of stored) expect(intent).toMatchObject(WHOLE);
  const byOrder = new Map(stored.map(({ order, id }) => [order, id]));
  expect(byOrder.size).toBe(stored.length);
  for (const { order, id } of answered) expect(byOrder.get(order)).toBe(id);
  for (const table of ROWS_OF_INTENTS) {
    const text = `select count(distinct intent_id)::integer as intents from svc.${table} where account_id = $1`;
    const { rows } = await pool.query<{ intents: number }>(text, [caller.accountId]);
    expect([table, rows[0]?.intents]).toEqual([table, stored.length]);
  }
  return stored;
}

const commits = (stored: readonly Stored[]) => new Set(stored.map(({ commit }) => commit)).size;

/** What the database refuses: an amount that is not positive. */
const poisoned = (record: IntentRecord): IntentRecord => ({
  ...record,
  intent: { ...record.intent, amount: atomicAmount(0n) },
});

describe.each([
  ['without keys', false],
  ['with idempotency keys', true],
])('intents of one moment, %s', (_, isKeyed) => {
  const wanted = (order: string): Wanted => ({ order, ...(isKeyed && { key: order }) });

  test('are stored whole in few commits, in answer to each its own', async () => {
    const caller = await seedListing();
    const { create } = openApi();
    await create(caller, wanted('first'));
    const answers = await Promise.all(
      orders(200, 'together').map(async (order) => ({ order, ...(await create(caller, wanted(order))) })),
    );
    const stored = await expectWhole(caller, answers);
    expect(stored).toHaveLength(201);
    expect(commits(stored)).toBeLessThan(20);
  });

  test('a faulty one fails alone, and leaves no row', async () => {
    const caller = await seedListing();
    const { create } = openApi();
    const isFaulty = (index: number) => [3, 40, 41, 99].includes(index);
    const all = orders(100, 'poisoned');
    const outcomes = await Promise.allSettled(
      all.map((order, index) => create(caller, { ...wanted(order), ...(isFaulty(index) && { change: poisoned }) })),
    );
    for (const [index, { status }] of outcomes.entries())
      expect([index, status]).toEqual([index, isFaulty(index) ? 'rejected' : 'fulfilled']);
    const stored = await expectWhole(
      caller,
      outcomes.flatMap((outcome, index) =>
        outcome.status === 'fulfilled' ? { order: all[index] ?? '', id: outcome.value.id } : [],
      ),
    );
    expect(stored).toHaveLength(96);
    const { rows } = await pool.query('select count(*)::integer as keys from svc.idempotency where account_id = $1', [
      caller.accountId,
    ]);
    expect(rows[0].keys).toBe(isKeyed ? 96 : 0);
  });

  test.each(['sent', 'answered'] as const)(
    'are stored once and answered although the connection broke when the group was %s',
    async (when) => {
      const caller = await seedListing();
      const proxy = await startCutProxy(url);
      const { create } = openApi(proxy.url);
      await create(caller, wanted('first'));
      const lock = await lockIntents();
      const ahead = create(caller, wanted('ahead'));
      await waitingStatements(1);
      const isCut = proxy.cutNext('together-30', when);
      const { answers, isComplete } = createTogether(create, caller, wanted);
      await isComplete();
      await lock.unlock();
      await Promise.all([ahead, isCut]);
      const answered = await answers;
      expect(answered.filter(({ replayed }) => replayed)).toEqual([]);
      expect(await expectWhole(caller, answered)).toHaveLength(62);
    },
  );

  test('are stored once if the lost run commits while the second one waits for it', async () => {
    const caller = await seedListing();
    const proxy = await startCutProxy(url);
    const { create } = openApi(proxy.url);
    await create(caller, wanted('first'));
    const first = await lockIntents();
    const ahead = create(caller, wanted('ahead'));
    await waitingStatements(1);
    // The group must find the table locked, so the second lock waits behind the one ahead.
    const second = lockIntents();
    await vi.waitFor(async () => {
      const { rowCount } = await pool.query(
        "select from pg_locks where relation = 'svc.intents'::regclass and mode = 'ShareLock' and not granted",
      );
      expect(rowCount).toBe(1);
    });
    const isCut = proxy.cutNext('together-30', 'sent');
    const { answers, isComplete } = createTogether(create, caller, wanted);
    await isComplete();
    await first.unlock();
    await Promise.all([ahead, isCut]);
    const { unlock } = await second;
    // With keys one more goes beside the one ahead.
    await waitingStatements(isKeyed ? 3 : 2);
    await unlock();
    expect(await expectWhole(caller, await answers)).toHaveLength(62);
  });

  test('none is lost and none is stored twice while the server ends connections', async () => {
    const caller = await seedListing();
    const { create } = openApi();
    const work = { isDone: false };
    const strikes = (async () => {
      let struck = 0;
      while (!work.isDone) {
        const { rows } = await pool.query<{ struck: number }>(
          `select count(pg_terminate_backend(pid))::integer as struck from pg_stat_activity
           where application_name = 'svc-groups' and state = 'active' and datname = current_database()`,
        );
        struck += rows[0]?.struck ?? 0;
        await new Promise((resolve) => setTimeout(resolve, 15));
      }
      return struck;
    })();
    const answered: { order: string; id: string }[] = [];
    let failed = 0;
    await Promise.all(
      orders(64, 'struck').map(async (mine) => {
        for (const order of orders(15, mine)) {
          try {
            answered.push({ order, ...(await create(caller, wanted(order))) });
          } catch {
            failed += 1;
          }
        }
      }),
    );
    work.isDone = true;
    expect(await strikes).toBeGreaterThan(0);
    expect(answered.length + failed).toBe(960);
    await expectWhole(caller, answered);
  });
});

/** No intent is written until `unlock`. */
async function lockIntents(): Promise<{ readonly unlock: () => Promise<void> }> {
  const client = await pool.connect();
  await client.query('begin; lock table svc.intents in share mode');
  return {
    unlock: async () => {
      await client.query('commit');
      client.release();
    },
  };
}

/**
 * Sixty intents behind one that waits. Keys and settings may be read before, so the one ahead must wait until the group
 * `isComplete`: a group of one would fail with its connection.
 */
function createTogether(create: ReturnType<typeof creatorOf>, caller: Caller, wanted: (order: string) => Wanted) {
  let waiting = 0;
  const change = (record: IntentRecord) => {
    waiting += 1;
    return record;
  };
  return {
    answers: Promise.all(
      orders(60, 'together').map(async (order) => ({ order, ...(await create(caller, { ...wanted(order), change })) })),
    ),
    isComplete: () => vi.waitFor(() => expect(waiting).toBe(60), { timeout: 5_000 }),
  };
}

/** Waits until as many statements that record intents wait for a lock. */
async function waitingStatements(count: number): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ waiting: number }>(
      `select count(*)::integer as waiting from pg_stat_activity
       where application_name = 'svc-groups' and wait_event_type = 'Lock' and datname = current_database()`,
    );
    if ((rows[0]?.waiting ?? 0) >= count) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test('requests with one key in one group make one intent, and another body under the key is refused', async () => {
  const caller = await seedListing();
  const { create } = openApi();
  const outcomes = await Promise.allSettled([
    create(caller, { order: 'busy', key: 'busy' }),
    create(caller, { order: 'busy-too', key: 'busy-too' }),
    ...orders(30, 'same').map(() => create(caller, { order: 'same', key: 'same' })),
    create(caller, { order: 'same', key: 'same', body: 'another' }),
    create(caller, { order: 'other', key: 'other' }),
  ]);
  const same = outcomes.slice(2, 32).map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : undefined));
  expect(new Set(same.map((answer) => answer?.id)).size).toBe(1);
  expect(same.filter((answer) => answer?.replayed === false)).toHaveLength(1);
  expect(outcomes[32]).toMatchObject({ status: 'rejected', reason: { message: 'idempotency_key_reused' } });
  expect(outcomes[33]).toMatchObject({ status: 'fulfilled' });
  expect((await storedOf(caller)).map(({ order }) => order).toSorted()).toEqual(['busy', 'busy-too', 'other', 'same']);
});

test('two processes that use the same keys in opposite order have the same intents, without a deadlock', async () => {
  const caller = await seedListing();
  const apis = [openApi(), openApi()];
  const keys = orders(150, 'shared');
  const [one = [], other = []] = await Promise.all(
    apis.map(({ create }, index) =>
      Promise.all((index === 0 ? keys : keys.toReversed()).map((key) => create(caller, { order: key, key }))),
    ),
  );
  expect(one.map(({ id }) => id)).toEqual(other.toReversed().map(({ id }) => id));
  expect(
    await expectWhole(
      caller,
      one.map(({ id }, index) => ({ order: keys[index] ?? '', id })),
    ),
  ).toHaveLength(150);
  // A backend reports its deadlocks when it has been idle for a second.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const { rows } = await pool.query<{ deadlocks: number }>(
    'select deadlocks::integer from pg_stat_database where datname = current_database()',
  );
  expect(rows[0]?.deadlocks).toBe(0);
});

test('of a group each person’s intent is in the audit record, and no program’s', async () => {
  const caller = await seedListing();
  const { create } = openApi();
  const answers = await Promise.all(
    orders(40, 'mixed').map((order, index) => create(caller, { order, ofPerson: index % 4 === 0 })),
  );
  const { rows } = await pool.query<{ target: string }>(
    "select target from svc.audit where account_id = $1 and action = 'intent.created'",
    [caller.accountId],
  );
  const persons = answers.filter((_, index) => index % 4 === 0).map(({ id }) => id);
  expect(rows.map(({ target }) => target).toSorted()).toEqual(persons.toSorted());
});

test('a key that another process holds lets requests without a key pass', async () => {
  const caller = await seedListing();
  const { create } = openApi();
  const holder = await pool.connect();
  await holder.query('begin');
  await holder.query(
    `insert into svc.idempotency (account_id, mode, key, request_hash, created_at) values ($1, $2, 'held', $3, now())`,
    [caller.accountId, caller.mode, claimOf('held').requestHash],
  );
  const held = Promise.all(orders(8, 'keyed').map((order) => create(caller, { order, key: 'held', body: order })));
  held.catch(() => {});
  await waitingStatements(1);
  await Promise.all(orders(20, 'free').map((order) => create(caller, { order })));
  await holder.query('rollback');
  holder.release();
  await expect(held).rejects.toThrow('idempotency_key_reused');
});
