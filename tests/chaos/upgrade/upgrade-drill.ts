// An older commit and this one, side by side under load, until the older one is gone. Called inside a test.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { freePorts } from '@svc-pay/engine/server';
import { startChain } from '@svc-pay/evm/testing';
import { startPostgres } from '@svc-pay/postgres/server';
import { killOnParentExit } from '@svc-pay/runtime/process/kill-on-parent-exit';
import pg from 'pg';
import { expect, onTestFinished } from 'vitest';
import { MASTER_KEY, openShop, PEPPER } from '../../e2e/open-shop.ts';
import { mainOf, startService } from '../../e2e/service-process.ts';
import { shopByCommand } from '../../e2e/shop-by-command.ts';
import { payerOf } from '../../e2e/wallet.ts';
import { startMortalEngine } from '../harness/mortal-engine.ts';
import { createProgram } from '../harness/program.ts';
import { openEndpoint } from '../settlement/open-endpoint.ts';
import { startLoad } from './load.ts';
import { createLoadStages, expectEveryPaymentBooked } from './load-stages.ts';
import { unpackRelease } from './previous-release.ts';

const PAYERS = 6;
const PAID_PER_STAGE = 12;

export async function upgradeUnderLoad(commit: string): Promise<void> {
  const cleanUps: (() => Promise<void> | void)[] = [];
  onTestFinished(async () => {
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
  });
  const directory = mkdtempSync(path.join(tmpdir(), 'svc-upgrade-'));
  chmodSync(directory, 0o755);
  cleanUps.push(() => rmSync(directory, { recursive: true, force: true }));
  const previous = unpackRelease(commit);
  cleanUps.push(previous.remove);
  const [postgres, chain, engine] = await Promise.all([
    startPostgres({ settings: { max_connections: '80' } }),
    startChain({ blockTimeSeconds: 0.3, guard: killOnParentExit }),
    startMortalEngine(path.join(directory, 'engine')),
  ]);
  const pool = new pg.Pool({ connectionString: postgres.url, max: 4 });
  pool.on('error', () => {});
  cleanUps.push(
    () => postgres.stop(),
    () => chain.stop('SIGKILL'),
    () => engine.stop(),
    () => pool.end(),
  );
  const networks = JSON.stringify({
    [chain.network]: {
      processor: chain.record.processor,
      processorVersion: '1.3.0',
      ready: true,
      rpcUrls: [chain.rpcUrl],
    },
  });
  const svc = async (program: readonly string[], ...argv: readonly string[]) => {
    const env = {
      SVC_DATABASE_URL: postgres.url,
      SVC_NETWORKS: networks,
      SVC_KEY_PEPPER: PEPPER.toString('base64'),
      SVC_MASTER_KEYS: `1:${MASTER_KEY.toString('base64')}`,
    };
    return promisify(execFile)(process.execPath, [...program, ...argv], { env });
  };
  const byPrevious = (...argv: readonly string[]) => svc(previous.mainOf('cli'), ...argv);
  await byPrevious('migrate');
  const ran = async (...argv: readonly string[]) => (await byPrevious(...argv)).stdout;
  const shop = await openShop(pool, chain, undefined, shopByCommand(ran, pool, chain.network));
  const [receiverPorts, internalKey, password] = [
    await freePorts(),
    randomBytes(24).toString('hex'),
    randomBytes(8).toString('hex'),
  ];
  const receiver = createProgram({
    file: path.resolve(import.meta.dirname, '../harness/receiver.ts'),
    arguments: [path.join(directory, 'receiver.log'), '1', '20', String(receiverPorts.node)],
    environment: {},
    logFile: path.join(directory, 'receiver.out'),
  });
  await receiver.start();
  cleanUps.push(receiver.kill);
  receiver.tell({ calm: true });
  await openEndpoint(pool, shop, (id) => `http://127.0.0.1:${receiverPorts.node}/${id}`);
  const urls = new Map<string, string>();
  for (const group of ['api', 'settlement', 'webhooks']) {
    await pool.query(`create role upgrade_${group} login password '${password}' in role svc_${group}`);
    urls.set(group, Object.assign(new URL(postgres.url), { username: `upgrade_${group}`, password }).href);
  }

  /** All three services of one release, each found under addresses of its own. */
  const start = async (program: (service: 'api' | 'settlement' | 'webhooks') => readonly string[]) => {
    const [own, hooks] = [await freePorts(), await freePorts()];
    const shared = {
      SVC_NETWORKS: networks,
      SVC_LOG_LEVEL: 'info',
      SVC_ENGINE_ADMIN_URL: engine.adminUrl,
      SVC_ENGINE_INGRESS_URL: engine.ingressUrl,
    };
    const settlement = await startService(program('settlement'), {
      ...shared,
      SVC_DATABASE_URL: urls.get('settlement') ?? '',
      SVC_RELAYER_TEST_KEYS: chain.keys.relayers.map(({ privateKey }) => privateKey).join(','),
      SVC_RECOVERY_TEST_KEY: chain.keys.recovery.privateKey,
      SVC_INTERNAL_KEYS: internalKey,
      SVC_SETTLEMENT_PORT: String(own.admin),
      SVC_SETTLEMENT_ENGINE_PORT: String(own.node),
      SVC_SETTLEMENT_POLL_MS: '50',
    });
    cleanUps.push(() => settlement.kill('SIGKILL'));
    const webhooks = await startService(program('webhooks'), {
      ...shared,
      SVC_DATABASE_URL: urls.get('webhooks') ?? '',
      SVC_MASTER_KEYS: `1:${MASTER_KEY.toString('base64')}`,
      SVC_WEBHOOKS_MODES: 'test',
      SVC_WEBHOOKS_ALLOW_LOOPBACK: 'on',
      SVC_WEBHOOKS_PORT: String(hooks.admin),
      SVC_WEBHOOKS_ENGINE_PORT: String(hooks.node),
    });
    cleanUps.push(() => webhooks.kill('SIGKILL'));
    const api = await startService(program('api'), {
      SVC_NETWORKS: networks,
      SVC_ENGINE_INGRESS_URL: engine.ingressUrl,
      SVC_DATABASE_URL: urls.get('api') ?? '',
      SVC_KEY_PEPPER: PEPPER.toString('base64'),
      SVC_API_PORT: '0',
      SVC_API_METRICS_PORT: '0',
      SVC_API_RATE_LIMITS: 'off',
      SVC_SETTLEMENT_URL: `http://127.0.0.1:${settlement.port}`,
      SVC_INTERNAL_KEY: internalKey,
    });
    cleanUps.push(() => api.kill('SIGKILL'));
    return { api, settlement, webhooks, apiUrl: `http://127.0.0.1:${api.port}` };
  };

  const old = await start(previous.mainOf);
  const keys = await Promise.all(Array.from({ length: PAYERS }, () => chain.newKey()));
  for (const { account } of keys) await chain.mint(chain.tokens.usdc, account.address, 10_000_000_000n);
  const load = startLoad(
    shop,
    keys.map(({ account }) => payerOf(account)),
    old.apiUrl,
  );
  const { stage, pauses } = createLoadStages(load, PAID_PER_STAGE);
  await stage('old alone');
  await svc(mainOf('cli'), 'migrate');
  await stage('old on the new schema');
  const next = await start(mainOf);
  load.serve([old.apiUrl, next.apiUrl]);
  await stage('both');
  load.serve([next.apiUrl]);
  await old.api.kill('SIGTERM');
  await stage('the old API gone');
  await old.settlement.kill('SIGTERM');
  await stage('the old settlement gone');
  await old.webhooks.kill('SIGTERM');
  await stage('new alone');
  await load.stop();
  console.log(JSON.stringify({ previous: previous.commit.slice(0, 7), paid: load.paid(), longestPauseMs: pauses }));

  await expectEveryPaymentBooked(pool, load);
  await expect(svc(mainOf('cli'), 'ledger', 'check')).resolves.toBeDefined();
}
