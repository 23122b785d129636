// `svc rehearse` as an operator runs it, against the whole service and a chain with Base Sepolia's id.
import { spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { RangeTooLarge } from '@svc-pay/core';
import { createEndpoints, createReaderNode, readRecording, startRpcRecorder, startRpcReplayer } from '@svc-pay/evm';
import { BASE_SEPOLIA_CHAIN_ID } from '@svc-pay/evm/local';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApiProxy } from './api-proxy.ts';
import { recordingToWrite } from './config.ts';
import { type DirectShop, openDirectShop, readerHasToken } from './direct-shop.ts';
import { PROVIDER_KEY, startQuirkyProvider } from './provider-quirks.ts';
import { startRpcProxy } from './rpc-proxy.ts';
import { COMPILE_CACHE, mainOf } from './service-process.ts';
import { startWorld } from './start-world.ts';

const world = await startWorld({ chainId: BASE_SEPOLIA_CHAIN_ID });
const { chain, shop, database } = world;
const folder = mkdtempSync(path.join(tmpdir(), 'svc-rehearse-'));
const [api, liar, provider] = await Promise.all([
  startApiProxy(world.apiUrl),
  startRpcProxy(chain.rpcUrl),
  startQuirkyProvider(chain.rpcUrl),
]);
const payer = await chain.newKey();
const keyFile = path.join(folder, 'payer.key');
let direct: DirectShop;

beforeAll(async () => {
  writeFileSync(keyFile, `${payer.privateKey}\n`, { mode: 0o600 });
  direct = await openDirectShop(world, 'exclusive');
  await Promise.all([readerHasToken(world), chain.mint(chain.tokens.usdc, payer.account.address, 10_000_000n)]);
});

afterAll(() => {
  for (const { close } of [api, liar, provider]) close();
  rmSync(folder, { recursive: true });
});

type Report = {
  readonly ok: boolean;
  readonly spent: string;
  readonly flows: readonly {
    readonly flow: string;
    readonly ok: boolean;
    readonly transactionId: string;
    readonly checks: readonly { readonly id: string; readonly ok: boolean; readonly seen: string }[];
  }[];
  readonly checks: readonly { readonly id: string; readonly ok: boolean }[];
  readonly cleanedUp: readonly { readonly flow: string; readonly paymentIntentId: string; readonly how: string }[];
};

function rehearse(out: string, rpcUrl: string, ...more: readonly string[]) {
  const at = path.join(folder, out);
  const argv = [
    'rehearse',
    '--network',
    'base-sepolia',
    '--payer-key-file',
    keyFile,
    '--out',
    at,
    '--wait',
    '1m',
    ...more,
  ];
  const child = spawn(process.execPath, [...mainOf('cli'), ...argv], {
    env: {
      ...COMPILE_CACHE,
      SVC_API_URL: api.url,
      SVC_SECRET_KEY: shop.secretKey,
      SVC_REHEARSE_DIRECT_KEY: direct.secretKey,
      SVC_RPC_URL: rpcUrl,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return {
    kill: () => child.kill('SIGKILL'),
    run: async () => {
      const exitCode = await ended;
      const report = () => JSON.parse(readFileSync(path.join(at, 'report.json'), 'utf8')) as Report;
      return { exitCode, output, report, at };
    },
  };
}

const redOf = ({ flows }: Report) =>
  Object.fromEntries(flows.map(({ flow, checks }) => [flow, checks.filter(({ ok }) => !ok).map(({ id }) => id)]));

const transactions: string[] = [];

test('exact, direct and up-to are green to the unit, and nothing that is written has a key', async () => {
  const { exitCode, output, report, at } = await rehearse('green', provider.url).run();
  expect({ exitCode, output }).toMatchObject({ exitCode: 0 });
  const { flows, ...rest } = report();
  expect(rest).toMatchObject({ ok: true, spent: '70054', cleanedUp: [], checks: [{ ok: true }] });
  expect(flows.map(({ flow, ok }) => [flow, ok])).toEqual([
    ['exact', true],
    ['direct', true],
    ['upto', true],
  ]);
  for (const { checks } of flows) expect(checks.map(({ id }) => id)).toContain('logs are the same when final');
  expect(await chain.balanceOf(chain.tokens.usdc, payer.account.address)).toBe(
    10_000_000n - 10_007n - 10_009n - 10_011n,
  );
  transactions.push(...flows.map(({ transactionId }) => transactionId));
  const secrets = [payer.privateKey.slice(2), shop.secretKey, direct.secretKey, PROVIDER_KEY];
  const written = readdirSync(at).map((name) => readFileSync(path.join(at, name), 'utf8'));
  expect(readdirSync(at).sort()).toEqual(['journal.jsonl', 'report.json', 'report.md', 'rpc-1.jsonl']);
  for (const text of [...written, output]) for (const secret of secrets) expect(text).not.toContain(secret);
  expect(statSync(path.join(at, 'rpc-1.jsonl')).mode & 0o777).toBe(0o600);
  // The provider refused some of the requests; the recording has that too.
  expect(readRecording(path.join(at, 'rpc-1.jsonl')).exchanges.map(({ status }) => status)).toContain(429);
});

test('a wrong fee in the books, a missing event and a node that lies about a receipt are red, each by name', async () => {
  const planted = { fee: false, event: false };
  api.before(async (line) => {
    if (!planted.fee && line.startsWith('GET /sdk/exports/')) planted.fee = await falsify(WRONG_FEE, shop.accountId);
    if (!planted.event && line.startsWith('GET /sdk/events')) planted.event = await falsify(NO_EVENT, direct.accountId);
  });
  const asked = new Set<unknown>();
  liar.behave({
    kind: 'liar',
    lie: ({ method, params: [id] }, truth) => {
      if (method !== 'eth_getTransactionReceipt' || truth === null) return undefined;
      asked.add(id);
      const receipt = truth as { logs: readonly { data: string; address: string }[] };
      // The third transaction is the up-to payment's: its transfer becomes one unit larger.
      if ([...asked].indexOf(id) !== 2) return undefined;
      const at = receipt.logs.findIndex(({ data }) => data.length === 66);
      return { ...receipt, logs: receipt.logs.map((log, index) => (index === at ? larger(log) : log)) };
    },
  });
  const { exitCode, output, report } = await rehearse('red', liar.url, '--patience', '1s').run();
  api.before(() => {});
  expect({ exitCode, planted }, output).toEqual({ exitCode: 1, planted: { fee: true, event: true } });
  expect(report().ok).toBe(false);
  expect(redOf(report())).toEqual({
    exact: expect.arrayContaining(['fee in the books', 'net in the books']),
    direct: ['events', 'payment.completed says what the payment says', 'events are the same when final'],
    upto: ['payer’s transfer on chain'],
  });
  expect(output).toContain('red: fee in the books');
});

test('killed with a confirmed cap: the next run in the folder releases it, says so and counts it until it expires', async () => {
  const killed = rehearse('killed', chain.rpcUrl, '--flows', 'upto', '--max-spend', '0.11');
  await new Promise<void>((resolve) => {
    api.before((line) => {
      if (!line.startsWith('POST /sdk/payments/x402/upto/settle')) return undefined;
      resolve();
      return new Promise<void>(() => {});
    });
  });
  killed.kill();
  await killed.run();
  api.before(() => {});
  const { exitCode, output, report } = await rehearse(
    'killed',
    chain.rpcUrl,
    '--flows',
    'upto',
    '--max-spend',
    '0.11',
  ).run();
  expect({ exitCode, output }).toMatchObject({ exitCode: 0 });
  expect(report()).toMatchObject({ ok: true, spent: '100076', cleanedUp: [{ flow: 'upto', how: 'released' }] });
  const { rows } = await database.pool.query('select status from svc.intents where id = $1', [
    report().cleanedUp[0]?.paymentIntentId,
  ]);
  expect(rows).toEqual([{ status: 'canceled' }]);
});

test('a recorded provider answers the chain reader from its recording as it did by itself', async () => {
  const file = path.join(folder, 'provider.jsonl');
  const recorder = await startRpcRecorder({
    upstream: provider.url,
    network: chain.network,
    file,
    recordedAt: '2026-11-17T00:00:00.000Z',
  });
  const live = await readPayments(recorder.url);
  await recorder.close();
  expect(live.logs.map(({ event }) => event).sort()).toEqual([
    ...Array.from({ length: 3 }, () => 'authorization_used'),
    ...Array.from({ length: 2 }, () => 'payment_settled'),
  ]);
  if (recordingToWrite !== undefined) copyFileSync(file, recordingToWrite);
  const replayer = await startRpcReplayer(readRecording(file));
  expect(await readPayments(replayer.url)).toEqual(live);
  expect(replayer.missed()).toEqual([]);
  await replayer.close();
});

/** What the reader of the services asks: heads, a range that is too large, the blocks of the payments, and their receipts. */
async function readPayments(url: string) {
  const [rpc] = createEndpoints({ urls: [url], timeoutMs: 5_000 });
  const patient: typeof rpc = async (calls) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await rpc(calls);
      } catch (problem) {
        if (attempt === 5) throw problem;
      }
    }
  };
  const node = createReaderNode(patient);
  const sources = [
    { address: chain.record.processor, kind: 'processor' },
    { address: chain.tokens.usdc, kind: 'token' },
  ] as const;
  const { rows } = await database.pool.query<{ first: string; last: string }>(
    'select min(block_number) as first, max(block_number) as last from svc.batches where transaction_id = any($1)',
    [transactions],
  );
  const [from, to] = [BigInt(rows[0]?.first ?? 0), BigInt(rows[0]?.last ?? 0)];
  await expect(node.readLogs({ from: 0n, to }, sources)).rejects.toThrow(RangeTooLarge);
  const logs = [];
  for (let at = from; at <= to; at += 10n) {
    const end = at + 9n < to ? at + 9n : to;
    logs.push(...(await node.readLogs({ from: at, to: end }, sources)));
  }
  const uses = logs.flatMap((log) => (log.event === 'authorization_used' ? [log] : []));
  return { blocks: await node.readBlocks([from, to]), logs, evidence: await node.readEvidence(uses) };
}

const larger = (log: { readonly data: string }) => ({
  ...log,
  data: `0x${(BigInt(log.data) + 1n).toString(16).padStart(64, '0')}`,
});

const WRONG_FEE = `
  update svc.ledger_bookings set amounts = (
    select array_agg(e.amount + case e.name when 'merchant' then 1 when 'platform_fee' then -1 else 0 end order by e.place)
    from unnest(amounts, account_names) with ordinality as e (amount, name, place)
  ) where account_id = $1 and payment_id = (select max(payment_id) from svc.ledger_bookings where account_id = $1
      having count(distinct payment_id) = 3)`;
const NO_EVENT = `
  delete from svc.events where account_id = $1 and type = 'payment.completed'
    and intent_id = (select max(intent_id) from svc.events where account_id = $1 having count(distinct intent_id) = 2)`;

/** True if rows were changed. Rows of books and events are immutable, except for whoever owns the database. */
async function falsify(statement: string, accountId: string): Promise<boolean> {
  const client = await database.pool.connect();
  try {
    await client.query("begin; set local session_replication_role = 'replica'");
    const { rowCount } = await client.query(statement, [accountId]);
    await client.query('commit');
    return (rowCount ?? 0) > 0;
  } finally {
    client.release();
  }
}
