// Intents created a second through the real API, beside (a) a bare route with one single-row insert and (b) a bare route
// that writes the same rows in one statement. Same Postgres, durable, same run, slices taken in turn.
import { randomBytes } from 'node:crypto';
import { migrate } from '@svc-pay/postgres';
import { startPostgres } from '@svc-pay/postgres/server';
import pg from 'pg';
import { median } from '../../quantile.ts';
import { durableSettings } from '../durable-settings.ts';
import { memberUrl } from '../member-url.ts';
import { CpuShare, cpuSeconds } from './cpu-time.ts';
import { load, type Target } from './load.ts';
import { PROCESSOR, seedAccount } from './seed.ts';
import { type Listening, startProcess } from './start-process.ts';

const CONNECTIONS = 64;
const ROUNDS = 3;
const WARM_UP_MS = 2_000;
const BAR_RATIO = 0.4;
const BAR_RATIO_SAME_ROWS = 0.6;
const BODY = JSON.stringify({
  usdAmount: '12.50',
  tokenShortcode: 'basesepolia_usdc',
  description: 'One year of hosting',
  metadata: { order: 'A-1234', customer: 'c_8812' },
});

export async function benchIntents(seconds: number) {
  const postgres = await startPostgres({ settings: { max_connections: '60', shared_buffers: '256MB' } });
  const started: Listening[] = [];
  const client = new pg.Client({ connectionString: postgres.url });
  try {
    const migrated = await migrate(postgres.url);
    if (!migrated.ok) throw new Error(`a fresh database refuses ${migrated.name}`);
    await client.connect();
    const durable = await durableSettings(client);
    const pepper = randomBytes(32);
    const { accountId, key } = await seedAccount(client, pepper);

    const bare = await startProcess('tests/bench/intents/bare-server.ts', [postgres.url, accountId], {});
    started.push(bare);
    const api = await startProcess(
      'services/api/src/main.ts',
      [],
      apiEnvironment(await memberUrl(client, postgres.url, 'api'), pepper),
    );
    started.push(api);
    const targets = {
      single: { port: bare.port, path: '/single', headers: {} },
      rows: { port: bare.port, path: '/rows', headers: {} },
      ours: {
        port: api.port,
        path: '/sdk/public/payments/intents/x402',
        headers: { Authorization: `Bearer ${key}` },
      },
    } as const satisfies Record<string, Target>;

    const sliceMs = Math.max(1_000, (seconds * 1_000) / ROUNDS);
    const rates = { single: [] as number[], rows: [] as number[], ours: [] as number[] };
    let unexpected = 0;
    const cpu = { single: new CpuShare(), rows: new CpuShare(), ours: new CpuShare() };
    for (const target of Object.values(targets)) await load(target, BODY, 402, CONNECTIONS, WARM_UP_MS);
    for (let round = 1; round <= ROUNDS; round += 1) {
      for (const name of ['single', 'rows', 'ours'] as const) {
        const { pid = 0 } = (name === 'ours' ? api : bare).child;
        const before = { node: cpuSeconds([pid]), postgres: cpuSeconds([postgres.pid]) };
        const result = await load(targets[name], BODY, 402, CONNECTIONS, sliceMs);
        cpu[name].add(cpuSeconds([pid]) - before.node, cpuSeconds([postgres.pid]) - before.postgres, result.answers);
        rates[name].push(result.perSecond);
        unexpected += result.unexpected;
        console.log(`round ${round}/${ROUNDS} ${name}: ${Math.round(result.perSecond)}/s, ${cpu[name].text()}`);
      }
    }
    await assertWritten(client, accountId, cpu.ours.answers);
    const [ours, single, rows] = [median(rates.ours), median(rates.single), median(rates.rows)];
    const ratio = ours / single;
    const ratioSameRows = ours / rows;
    return {
      figures: {
        ours_per_s: Math.round(ours),
        bare_per_s: Math.round(single),
        bare_same_rows_per_s: Math.round(rows),
        ratio: rounded(ratio),
        ratio_same_rows: rounded(ratioSameRows),
        cpu_ms: rounded(cpu.ours.nodeMs() + cpu.ours.postgresMs()),
        cpu_ms_node: rounded(cpu.ours.nodeMs()),
        cpu_ms_postgres: rounded(cpu.ours.postgresMs()),
        bare_same_rows_cpu_ms: rounded(cpu.rows.nodeMs() + cpu.rows.postgresMs()),
        bare_cpu_ms: rounded(cpu.single.nodeMs() + cpu.single.postgresMs()),
        unexpected,
        concurrency: CONNECTIONS,
        ...durable,
      },
      missed: [
        ...(ratio < BAR_RATIO ? [`ratio ${rounded(ratio)}, the bar is ${BAR_RATIO}`] : []),
        ...(ratioSameRows < BAR_RATIO_SAME_ROWS
          ? [`ratio_same_rows ${rounded(ratioSameRows)}, the bar is ${BAR_RATIO_SAME_ROWS}`]
          : []),
        ...(unexpected > 0 ? [`${unexpected} answers were not 402`] : []),
      ],
    };
  } finally {
    for (const listening of started) await listening.stop();
    await client.end();
    await postgres.stop();
  }
}

function apiEnvironment(url: string, pepper: Buffer): Record<string, string> {
  return {
    SVC_DATABASE_URL: url,
    SVC_KEY_PEPPER: pepper.toString('base64'),
    SVC_NETWORKS: JSON.stringify({
      'eip155:84532': { processor: PROCESSOR, processorVersion: '1.3.0', ready: true, rpcUrls: ['http://127.0.0.1:9'] },
    }),
    SVC_API_PORT: '0',
    SVC_API_METRICS_PORT: '0',
    // The limiter works; only its limit is out of reach.
    SVC_API_RATE_LIMITS: 'on',
    SVC_API_RATE_TEST: '1000000',
    SVC_API_RATE_ADDRESS: '1000000',
    SVC_API_STORED_BYTES_PER_DAY: '1000000000000',
  };
}

/** Every 402 that was counted stands for an intent with its event. */
async function assertWritten(client: pg.Client, accountId: string, created: number): Promise<void> {
  const { rows } = await client.query<{ intents: string }>(
    `select count(*) as intents from svc.intents intent
     join svc.events event using (account_id, mode)
     where account_id = $1 and event.intent_id = intent.id and event.request_id <> 'req_bare'`,
    [accountId],
  );
  const written = Number.parseInt(rows[0]?.intents ?? '0', 10);
  if (written < created) throw new Error(`${created} answers, but ${written} intents with their event`);
}

function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
