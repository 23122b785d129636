// Fills the tables that lists read with payments of ten years, by SQL, and measures pages of lists: the plans of their
// statements, the blocks and rows that they read. For the test of the plans and for the bench.
import type { Caller, IntentFilter, PaymentFilter } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type { Id } from '@svc-pay/protocol/ids';
import pg from 'pg';
import { openDatabase } from '../database/open-database.ts';
import { createListStores, LIST_POOL } from '../list-stores.ts';
import { idAt } from './id-at.ts';

export const LISTED_NOW_MS = Date.UTC(2026, 10, 15);
const MONTHS = 120;
const SPAN_SECONDS = MONTHS * 30 * 86_400;
const account = (number: number) => idAt('acct', LISTED_NOW_MS - (SPAN_SECONDS + 86_400 * 40) * 1_000, String(number));
/** Four of five payments are of the first account. */
export const LISTED_CALLER = {
  accountId: account(0),
  mode: 'test',
  kind: 'secret',
  keyId: 'key_a',
} as unknown as Caller;
/** One of twenty that share the rest. */
export const SMALL_CALLER = { ...LISTED_CALLER, accountId: account(7) } as Caller;
const PAYERS = 5_000;
const AT_ONCE = 100_000;

export type Filling = {
  readonly payments: number;
  /** Intents beside each paid one that nobody paid. */
  readonly unpaid: number;
  /** The last months of the ten years are cut into days. */
  readonly monthsOfDays?: number;
  readonly onDone?: (payments: number) => void;
};

const payerOf = (number: string) => `'0x' || lpad(to_hex(${number}), 40, '0')`;
const owner = `'${account(0).slice(0, -2)}' || lpad((case when n % 5 = 0 then 1 + n / 5 % 20 else 0 end)::text, 2, '0')`;
const tailOf = (number: string) => `lpad(to_hex(${number}), 16, '0')`;
// Half of the payments are of the last eight months.
const made = `to_timestamp(${LISTED_NOW_MS / 1_000} - ${SPAN_SECONDS} * power(1 - n / $3::float8, 4) - 60)`;
const status = `case when n % 200 = 3 then 'failed' when n % 1000 = 1 then 'refunded' when n % 50 = 2 then 'pending' else 'completed' end`;
const digest = (key: string, value: string) =>
  `sha256(convert_to('["' || ${owner} || '","test","${key}","' || ${value} || '"]', 'UTF8'))`;
const numbers = 'from generate_series($1::bigint, $2::bigint) n';
const intentId = (number = 'n') => `svc.id_bound('pi', ${made}) || ${tailOf(number)}`;

const FILLS = (unpaid: number) => [
  `insert into svc.payments (account_id, mode, id, intent_id, status, network, token_shortcode, asset, payer, amount,
     requested_amount, paid_amount, transaction_id, failure_code, created_event, created_at, completed_at, updated_at)
   select ${owner}, 'test', svc.id_bound('pay', ${made} + interval '9 seconds') || ${tailOf('n')}, ${intentId()}, ${status},
     case when n % 10 = 3 then 'eip155:11155111' else 'eip155:84532' end,
     case when n % 10 = 3 then 'ethsepolia_usdc' when n % 40 = 1 then 'basesepolia_eurc' else 'basesepolia_usdc' end,
     '0x3333333333333333333333333333333333333333', ${payerOf(`n % ${PAYERS}`)}, 1000000, 1000000, 1000000,
     '0x' || md5((n / 50)::text) || md5((n / 50)::text), 'transfer_failed', true, ${made}, ${made}, ${made}
   ${numbers}`,
  `insert into svc.intents (account_id, mode, id, intent_code, status, x402_upto, amount, ledger_id, network,
     token_shortcode, metadata, payment_id, event_sequence, created_at, updated_at, expires_at)
   select ${owner}, 'test', ${intentId(`n + (part::bigint << 40)`)}, n * 10 + part,
     case when part > 0 then 'canceled' when n % 50 = 2 then 'processing' when n % 200 = 3 then 'failed' else 'completed' end,
     false, 1000000, '0x3333333333333333333333333333333333333333', 'eip155:84532', 'basesepolia_usdc',
     json_build_object('order', n::text, 'customer', (n % ${PAYERS})::text)::text,
     case when part = 0 then svc.id_bound('pay', ${made} + interval '9 seconds') || ${tailOf('n')} end,
     3, ${made}, ${made}, ${made}
   ${numbers} cross join generate_series(0, ${unpaid}) part`,
  `insert into svc.intent_metadata (account_id, mode, intent_id, digest)
   select ${owner}, 'test', ${intentId(`n + (part::bigint << 40)`)}, ${digest('order', "n::text || '-' || part")}
   ${numbers} cross join generate_series(0, ${unpaid}) part`,
  `insert into svc.intent_metadata (account_id, mode, intent_id, digest)
   select ${owner}, 'test', ${intentId()}, ${digest('customer', `(n % ${PAYERS})::text`)} ${numbers}`,
];

export async function fillListed(pool: pg.Pool, { payments, unpaid, monthsOfDays, onDone }: Filling): Promise<void> {
  // Months of other tables would take longer than everything else.
  await pool.query(
    "delete from svc.partitioned_tables where table_name not in ('payments', 'intents', 'intent_metadata')",
  );
  if (monthsOfDays === undefined)
    await pool.query('select svc.ensure_partitions($1, 1, $2)', [MONTHS, new Date(LISTED_NOW_MS)]);
  else await cutIntoDays(pool, monthsOfDays);
  const client = await pool.connect();
  try {
    await client.query('set session_replication_role = replica');
    await client.query('set synchronous_commit = off');
    for (let first = 1; first <= payments; first += AT_ONCE) {
      const last = Math.min(payments, first + AT_ONCE - 1);
      for (const text of FILLS(unpaid)) {
        // Each parameter is used, so that each has a type.
        await client.query(`with given as (select $3::float8) ${text}`, [first, last, payments]);
      }
      onDone?.(last);
    }
  } finally {
    await client.query('reset all');
    client.release();
  }
}

/** Whatever the clock of the database says: the ten years end at a fixed time. */
async function cutIntoDays(pool: pg.Pool, months: number): Promise<void> {
  const now = new Date(LISTED_NOW_MS);
  const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1 - months));
  const children =
    "select format('drop table svc.%I', relname) as text from pg_inherits join pg_class on oid = inhrelid";
  for (const table of ['payments', 'intents', 'intent_metadata']) {
    const { rows } = await pool.query(`${children} where inhparent = $1::regclass and relname ~ '\\d$'`, [
      `svc.${table}`,
    ]);
    for (const { text } of rows) await pool.query(text);
  }
  await pool.query('select svc.ensure_partitions($1, 0, $2)', [MONTHS, new Date(first.getTime() - 1)]);
  await pool.query('alter table svc.partitioned_tables drop constraint partitioned_tables_few_days');
  await pool.query("update svc.partitioned_tables set partition_by = 'day', months_kept = null");
  for (let at = first.getTime(); at <= LISTED_NOW_MS + 86_400_000; at += 86_400_000)
    await pool.query('select svc.ensure_partitions(0, 0, $1)', [new Date(at)]);
}

type Asked = { readonly limit?: number; readonly order?: 'older' | 'newer'; readonly position?: string };
type Way = {
  readonly name: string;
  readonly caller?: Caller;
  readonly payments?: Partial<PaymentFilter>;
  readonly intents?: Partial<IntentFilter> & { readonly withPayments?: boolean };
  /** The timeline of the intent of a payment; only its payments are there. */
  readonly timeline?: boolean;
  readonly page?: Asked;
};

const payer = (number: number) => `0x${number.toString(16).padStart(40, '0')}`;
const ago = (days: number) => LISTED_NOW_MS - days * 86_400_000;
const full = { limit: 100 };

/** One list for each filter, with the pages that are dearest to read. */
export function listedWays(payments: number): readonly Way[] {
  const middle = Math.floor(payments / 2);
  const [middleIntent, newest] = [middle - (middle % 5) + 1, payments - (payments % 5) + 1 - 5];
  const md5 = (text: string) => `md5:${text}`;
  return [
    { name: 'no filter', payments: {} },
    { name: 'no filter, 100', payments: {}, page: full },
    { name: 'no filter, of a small account, 100', caller: SMALL_CALLER, payments: {}, page: full },
    { name: 'from far back on, 100', payments: {}, page: { ...full, position: idAt('pay', ago(1_800)) } },
    {
      name: 'newer than far back, 100',
      payments: {},
      page: { ...full, order: 'newer', position: idAt('pay', ago(1_800)) },
    },
    { name: 'a range of a day', payments: { createdAfterMs: ago(31), createdBeforeMs: ago(30) }, page: full },
    { name: 'a range of ten years', payments: { createdAfterMs: 0, createdBeforeMs: ago(-36_500) }, page: full },
    { name: 'a status that is everywhere, 100', payments: { status: 'completed' }, page: full },
    { name: 'a status that is rare, 100', payments: { status: 'refunded' }, page: full },
    {
      name: 'a status that is rare, newer, 100',
      payments: { status: 'refunded' },
      page: { ...full, order: 'newer', position: idAt('pay', ago(3_000)) },
    },
    { name: 'a status that nothing has', payments: { status: 'mismatched' }, page: full },
    { name: 'a network, 100', payments: { network: 'eip155:11155111' as NetworkId }, page: full },
    { name: 'a token, 100', payments: { tokenShortcode: 'basesepolia_eurc' }, page: full },
    { name: 'a payer, 100', payments: { payer: payer(1) }, page: full },
    { name: 'a payer of ten years ago', payments: { payer: payer(1), createdBeforeMs: ago(3_000) }, page: full },
    { name: 'a payer who never paid', payments: { payer: payer(999_999) }, page: full },
    { name: 'a transaction', payments: { transactionId: md5(String(Math.floor(newest / 50))) } },
    {
      name: 'a transaction and a status',
      payments: { transactionId: md5(String(Math.floor(middle / 50))), status: 'failed' },
    },
    { name: 'an intent', payments: { intentId: `at:${middleIntent}` as Id<'paymentIntent'> } },
    { name: 'a timeline', timeline: true, payments: { intentId: `at:${middleIntent}` as Id<'paymentIntent'> } },
    { name: 'a customer in metadata, 100', payments: { metadata: { key: 'customer', value: '1' } }, page: full },
    { name: 'an order in metadata', payments: { metadata: { key: 'order', value: `${newest}-0` } } },
    { name: 'intents, 100', intents: {}, page: full },
    { name: 'intents with payments, 100', intents: { withPayments: true }, page: full },
    { name: 'intents by status, 100', intents: { status: 'failed', withPayments: true }, page: full },
    {
      name: 'intents by metadata, 100',
      intents: { metadata: { key: 'customer', value: '2' }, withPayments: true },
      page: full,
    },
  ];
}

export type MeasuredPage = {
  readonly name: string;
  readonly given: number;
  readonly blocks: number;
  readonly rowsRead: number;
  readonly statements: number;
  readonly ms: number;
  /** Kinds of nodes of its plans. */
  readonly nodes: readonly string[];
};

type Plan = {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly Plan[];
};

const flat = (plan: Plan): readonly Plan[] => [plan, ...(plan.Plans ?? []).flatMap(flat)];
/** What was never executed is a month that was left out. */
const wasRun = (plan: Plan) => plan['Actual Loops'] > 0;

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (value instanceof Uint8Array) return `'\\x${Buffer.from(value).toString('hex')}'::bytea`;
  if (Array.isArray(value)) return `array[${value.map(literal).join(', ')}]::text[]`;
  return pg.escapeLiteral(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Lists by the pool of the API. `role` is what the statements run as. */
export async function openListMeter(url: string, role = 'svc_api') {
  const database = openDatabase(url, {
    ...LIST_POOL,
    applicationName: 'svc-test-lists',
    maxConnections: 1,
    onConnectionLost: () => {},
  });
  const client = await database.pool.connect();
  await client.query(`set role ${role}`);
  const prepared = new Set<string>();
  let seen: Plan[] = [];
  const explained = {
    query: async (statement: string | { name: string; text: string; values: unknown[] }) => {
      if (typeof statement === 'string') return client.query(statement);
      const { name, text, values } = statement;
      if (!prepared.has(name)) {
        await client.query(`prepare "${name}:plan" as ${text}`);
        prepared.add(name);
      }
      const given = values.map(literal).join(', ');
      const { rows } = await client.query(`explain (analyze, buffers, format json) execute "${name}:plan" (${given})`);
      seen.push(rows[0]['QUERY PLAN'][0].Plan);
      return client.query({ name, text, values });
    },
  };
  const plain = { query: (query: pg.QueryConfig) => client.query(query) };
  const clock = { nowMs: () => LISTED_NOW_MS };
  const [metered, direct] = [explained, plain].map((connection) => {
    const pool = { ...connection, connect: async () => ({ ...connection, release: () => {} }) };
    return createListStores({ pool: pool as unknown as pg.Pool }, clock);
  });
  const resolve = (way: Way): Promise<Way> => resolveWay(client, way);

  const ask = async (stores: typeof direct, way: Way): Promise<{ readonly rows: readonly unknown[] }> => {
    if (stores === undefined) throw new Error('no stores');
    const { caller = LISTED_CALLER, page = {} } = way;
    if (way.timeline === true) {
      const found = await stores.timeline(caller, way.payments?.intentId as Id<'paymentIntent'>);
      return { rows: found?.payments ?? [] };
    }
    const at = { limit: page.limit ?? 25, order: page.order ?? ('older' as const), position: page.position };
    const none = { createdAfterMs: undefined, createdBeforeMs: undefined, status: undefined, metadata: undefined };
    if (way.intents !== undefined) {
      const { withPayments = false, ...filter } = way.intents;
      return stores.intents(caller, { ...none, ...filter }, { ...at, withPayments });
    }
    const others = { network: undefined, tokenShortcode: undefined, payer: undefined, transactionId: undefined };
    return stores.payments(caller, { ...none, ...others, intentId: undefined, ...way.payments }, at);
  };
  return {
    measure: async (asked: Way): Promise<MeasuredPage> => {
      const way = await resolve(asked);
      await ask(metered, way);
      seen = [];
      const page = await ask(metered, way);
      const plans = seen.flatMap(flat).filter(wasRun);
      const startMs = performance.now();
      await ask(direct, way);
      return {
        name: way.name,
        given: page.rows.length,
        ms: performance.now() - startMs,
        statements: seen.length,
        blocks: seen.reduce((sum, plan) => sum + plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], 0),
        rowsRead: plans
          .filter((plan) => plan['Relation Name'] !== undefined)
          .reduce(
            (sum, plan) => sum + (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'],
            0,
          ),
        nodes: [...new Set(plans.map((plan) => plan['Node Type']))].toSorted(),
      };
    },
    /** Milliseconds of the same page, asked for `times` times. */
    time: async (asked: Way, times: number): Promise<readonly number[]> => {
      const way = await resolve(asked);
      const took: number[] = [];
      for (let time = 0; time < times; time += 1) {
        const startMs = performance.now();
        await ask(direct, way);
        took.push(performance.now() - startMs);
      }
      return took;
    },
    close: async () => {
      client.release();
      await database.close();
    },
  };
}

/** Transactions and intents are named by their number until the tables are there. */
async function resolveWay(client: pg.ClientBase, way: Way): Promise<Way> {
  const { transactionId, intentId } = way.payments ?? {};
  if (transactionId?.startsWith('md5:') === true) {
    const { rows } = await client.query('select md5($1) as hash', [transactionId.slice(4)]);
    return { ...way, payments: { ...way.payments, transactionId: `0x${rows[0].hash}${rows[0].hash}` } };
  }
  if (intentId?.startsWith('at:') === true) {
    const tail = BigInt(intentId.slice(3)).toString(16).padStart(16, '0');
    const { rows } = await client.query("select id from svc.intents where account_id = $1 and id like '%' || $2", [
      LISTED_CALLER.accountId,
      tail,
    ]);
    return { ...way, payments: { ...way.payments, intentId: rows[0].id } };
  }
  return way;
}
