// How the chain reader catches up: blocks per second, calls and processor time per thousand blocks, and memory, which must
// not grow with the number of blocks. Two nodes of a synthetic chain, a real database.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type ApplyStore, createChainReader, type PeriodicJob, READER_LIMITS } from '@svc-pay/core';
import { openReaderChains } from '@svc-pay/evm';
import { migrate } from '@svc-pay/postgres';
import { startPostgres } from '@svc-pay/postgres/server';
import { createReaderStore } from '@svc-pay/postgres/settlement-service';
import { evmNetwork } from '@svc-pay/protocol';
import { killOnParentExit } from '@svc-pay/runtime/process/kill-on-parent-exit';
import pg from 'pg';
import type { BenchOptions, BenchResult } from '../bench.ts';
import { createBenchProcesses } from '../bench-servers.ts';
import { FOREIGN_EVERY, OWN_EVERY, PROCESSOR, TOKEN } from './synthetic-chain.ts';

const NETWORK = evmNetwork(31_337);
const BLOCKS = 1_000_000;
const MEBIBYTE = 2 ** 20;
/** The heap after a collection may grow by this much after the first fifth of the blocks. */
const MAX_GROWTH_MB = 16;
/** How often the heap is collected and measured; neither is counted as the reader's. */
const SAMPLES = 20;
const FOLLOWED_RUNS = 50;
const FOLLOWED_BLOCKS = 5;
const MAX_CALLS = 8;
const MAX_CPU_MS = 20;

export async function benchReader({ most: blocks = BLOCKS }: BenchOptions): Promise<BenchResult> {
  const { onStop, stop } = createBenchProcesses();
  try {
    const urls = await Promise.all([startNode(blocks, onStop), startNode(blocks, onStop)]);
    const pool = await startDatabase(onStop);
    return await catchUp(blocks, urls, pool);
  } finally {
    await stop();
  }
}

async function catchUp(blocks: number, urls: readonly string[], pool: pg.Pool): Promise<BenchResult> {
  let calls = 0;
  let [passed, logs, own] = [0, 0, 0];
  const samples: { readonly share: number; readonly heap: number }[] = [];
  const collecting = { ms: 0, cpuMs: 0 };
  const [chain] = openReaderChains([[NETWORK, { rpcUrls: urls }]], {
    timeoutMs: 10_000,
    onCalls: (_, count) => {
      calls += count;
    },
  });
  if (chain === undefined) throw new Error(`${NETWORK} is not known`);
  const store = createReaderStore(pool);
  const start = { number: 0n, hash: `0x${'1'.padStart(64, '0')}`, timeSeconds: 1_700_000_000n };
  const sources = [
    { address: PROCESSOR, kind: 'processor', at: start },
    { address: TOKEN, kind: 'token', at: start },
  ] as const;
  await store.startCursors(NETWORK, sources, Date.now());
  const reader = createChainReader(
    chain,
    {
      reader: store,
      apply: createDeletingApply(pool),
      clock: { nowMs: () => Date.now() },
      log: (event, details) => console.error(event, details),
      metrics: {
        blocksPassed: (_, __, count, read, kept) => {
          passed += count;
          logs += read;
          own += kept;
          // Both sources pass every block.
          const share = passed / (2 * blocks);
          if (share * SAMPLES < samples.length) return;
          const [beforeMs, before] = [performance.now(), process.cpuUsage()];
          samples.push({ share, heap: heapMb() });
          const { user, system } = process.cpuUsage(before);
          collecting.cpuMs += (user + system) / 1_000;
          collecting.ms += performance.now() - beforeMs;
        },
        blocksBehind: () => {},
        rewound: () => {},
        logApplied: () => {},
      },
    },
    { ...READER_LIMITS, claimMs: 0, pageSize: 200 },
  );
  const [startedMs, cpuBefore] = [performance.now(), process.cpuUsage()];
  const isDone = async () => {
    const cursors = await store.loadCursors(NETWORK);
    const final = BigInt(blocks) - 64n;
    const isRead = cursors.every(({ at }) => at.number >= final);
    return isRead && (await store.loadUnapplied(NETWORK, final, undefined, 1)).length === 0;
  };
  while (!(await isDone())) await reader.run();
  const seconds = (performance.now() - startedMs - collecting.ms) / 1_000;
  const early = Math.max(...samples.filter(({ share }) => share <= 0.2).map(({ heap }) => heap));
  const peak = Math.max(...samples.map(({ heap }) => heap));
  const { user, system } = process.cpuUsage(cpuBefore);
  const thousands = blocks / 1_000;
  const caughtUp = { calls, own, logs };
  const follow = await followHead(reader, urls, () => calls);
  const figures = {
    blocks,
    seconds: round(seconds),
    blocks_per_second: Math.round(blocks / seconds),
    calls_per_1000_blocks: round(caughtUp.calls / thousands),
    cpu_ms_per_1000_blocks: round(((user + system) / 1_000 - collecting.cpuMs) / thousands),
    follow_calls_per_1000_blocks: round(follow.calls),
    follow_cpu_ms_per_1000_blocks: round(follow.cpuMs),
    logs_read: caughtUp.logs,
    logs_own: caughtUp.own,
    heap_early_mb: round(early),
    heap_peak_mb: round(peak),
    rss_mb: round(process.resourceUsage().maxRSS / 1_024),
  };
  const foreign = caughtUp.logs - caughtUp.own;
  const expectedOwn = Math.floor((blocks - 1) / Number(OWN_EVERY));
  const expectedForeign = Math.floor((blocks - 64) / Number(FOREIGN_EVERY));
  return {
    figures,
    missed: [
      ...(caughtUp.own === expectedOwn ? [] : [`${caughtUp.own} logs of ours were read, not ${expectedOwn}`]),
      ...(foreign === expectedForeign ? [] : [`${foreign} foreign logs were read, not ${expectedForeign}`]),
      ...(peak - early <= MAX_GROWTH_MB ? [] : [`the heap grew by ${round(peak - early)} MB`]),
      ...(figures.calls_per_1000_blocks <= MAX_CALLS ? [] : [`more than ${MAX_CALLS} calls per 1,000 blocks`]),
      ...(figures.cpu_ms_per_1000_blocks <= MAX_CPU_MS ? [] : [`more than ${MAX_CPU_MS} ms per 1,000 blocks`]),
    ],
  };
}

/** At the head, with blocks of two seconds: a run every ten seconds finds five new ones. Per 1,000 blocks. */
async function followHead(reader: PeriodicJob, urls: readonly string[], callsSoFar: () => number) {
  const [first, cpuBefore] = [callsSoFar(), process.cpuUsage()];
  for (let run = 0; run < FOLLOWED_RUNS; run += 1) {
    await Promise.all(
      urls.map((url) =>
        fetch(url, {
          method: 'POST',
          body: JSON.stringify([{ id: 0, method: 'bench_advance', params: [FOLLOWED_BLOCKS] }]),
        }),
      ),
    );
    await reader.run();
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  const thousands = (FOLLOWED_BLOCKS * FOLLOWED_RUNS) / 1_000;
  return { calls: (callsSoFar() - first) / thousands, cpuMs: (user + system) / 1_000 / thousands };
}

/** What is applied is another bench's: here a log only leaves the queue. */
function createDeletingApply(pool: pg.Pool): ApplyStore {
  return {
    dropRecorded: async (network, given) => {
      await pool.query(
        `delete from svc.read_logs log using unnest($2::text[], $3::integer[]) as given (transaction_id, log_index)
         where network = $1 and log.transaction_id = given.transaction_id and log.log_index = given.log_index`,
        [network, given.map(({ position }) => position.transactionId), given.map(({ position }) => position.logIndex)],
      );
      return [];
    },
    applyLog: () => Promise.reject(new Error('every log was dropped')),
  };
}

async function startNode(blocks: number, onStop: (stop: () => void) => void): Promise<string> {
  const script = fileURLToPath(new URL('synthetic-node.ts', import.meta.url));
  const child = spawn(process.execPath, [script, String(blocks)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const dismiss = killOnParentExit(child.pid ?? 0);
  onStop(() => {
    child.kill();
    dismiss();
  });
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error('a synthetic node ended');
}

async function startDatabase(onStop: (stop: () => Promise<void>) => void): Promise<pg.Pool> {
  const postgres = await startPostgres({ durable: false });
  onStop(postgres.stop);
  const migrated = await migrate(postgres.url);
  if (!migrated.ok) throw new Error(`a fresh database refuses migration ${migrated.name}`);
  const pool = new pg.Pool({ connectionString: postgres.url, max: 4 });
  pool.on('error', () => {});
  onStop(() => pool.end());
  return pool;
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function heapMb(): number {
  collect();
  return process.memoryUsage().heapUsed / MEBIBYTE;
}

const round = (value: number) => Math.round(value * 100) / 100;
