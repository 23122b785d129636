// Two processes of each service from one folder of `svc init`. They are restarted one after the other while payers go on
// paying, and read the folder anew when they start.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePorts, startRestate } from '@svc-pay/engine/server';
import { writeDeploymentRecord } from '@svc-pay/evm';
import { startChain } from '@svc-pay/evm/testing';
import { startPostgres } from '@svc-pay/postgres/server';
import { killOnParentExit } from '@svc-pay/runtime/process/kill-on-parent-exit';
import { reservePort } from '@svc-pay/runtime/process/reserve-port';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { openShop, type Shop } from '../../e2e/open-shop.ts';
import { mainOf, type ServiceProcess, startService } from '../../e2e/service-process.ts';
import { shopByCommand } from '../../e2e/shop-by-command.ts';
import { post } from '../../e2e/wallet.ts';
import { initInstallation } from './installation.ts';
import { startKeyedNode } from './keyed-node.ts';
import { lightKeystore } from './light-keystore.ts';
import { startMerchantServer } from './merchant-server.ts';
import { SOLANA, sellOnSolana, solanaAddressIn, startSolanaSide } from './solana-side.ts';

export type Service = 'api' | 'settlement' | 'webhooks' | 'admin';
export type Process = { readonly service: Service; readonly seat: 0 | 1 };

const SEATS = [0, 1] as const;
const SERVICES = ['settlement', 'webhooks', 'admin', 'api'] as const;
/** Every process, in the order of a rolling restart. */
export const processesOf = (...services: readonly Service[]): readonly Process[] =>
  SEATS.flatMap((seat) => services.map((service) => ({ service, seat })));

/** The shop with the keys that its server and its pages use now. */
type ChangingShop = { -readonly [Name in keyof Shop]: Shop[Name] };
export type RotateWorld = Awaited<ReturnType<typeof startRotateWorld>>;

const SOL = 1_000_000_000n;
const EVENT_TYPES = ['payment.created', 'payment.completed', 'payment.failed'];
const urlOf = (port: number) => `http://127.0.0.1:${port}`;
const pairOfPorts = async () => [await reservePort(), await reservePort()] as const;

export async function startRotateWorld() {
  const cleanUps: (() => unknown)[] = [];
  onTestFinished(async () => {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  });
  const directory = mkdtempSync(path.join(tmpdir(), 'svc-rotate-'));
  cleanUps.push(() => rmSync(directory, { recursive: true, force: true }));
  const server = await startPostgres({ durable: false, settings: { max_connections: '150' } });
  cleanUps.push(server.stop);
  const chain = await startChain({ blockTimeSeconds: 0.3, guard: killOnParentExit });
  cleanUps.push(() => chain.stop('SIGKILL'));
  const solana = await startSolanaSide(path.join(directory, 'solana.log'));
  cleanUps.push(solana.stop);
  const pool = await observe(server.url);
  cleanUps.push(() => pool.end());

  const installation = await initInstallation(path.join(directory, 'svc-pay'), `127.0.0.1:${server.port}/postgres`);
  const { inFolder, secret, setLine, environmentOf, run } = installation;
  await pool.query(readFileSync(inFolder('roles.sql'), 'utf8'));
  const [relayer] = chain.keys.relayers;
  if (relayer === undefined) throw new Error('the chain has no relayer');
  for (const [file, { privateKey }] of [
    ['evm-1.json', relayer],
    ['recovery.json', chain.keys.recovery],
  ] as const)
    writeFileSync(inFolder('relayers', file), lightKeystore(privateKey, secret('relayer-password')));
  await solana.faucet.fundSol(await solanaAddressIn(inFolder('relayers', 'solana-1.json')), SOL);
  const nodeKey = randomBytes(8).toString('hex');
  const node = await startKeyedNode(chain.rpcUrl, nodeKey);
  cleanUps.push(node.close);
  const writeNetworks = (key: string) => {
    const { processor } = chain.record;
    const evm = { processor, processorVersion: '1.3.0', ready: true, rpcUrls: [node.urlWith(key)] };
    const { feeAccount, genesisHash, rpcUrl } = solana;
    const onSolana = { feeAccount, genesisHash, ready: true, rpcUrls: [rpcUrl], gasCoinUsd: '150' };
    writeFileSync(inFolder('networks.json'), JSON.stringify({ [chain.network]: evm, [SOLANA]: onSolana }));
  };
  writeNetworks(nodeKey);
  await writeDeploymentRecord(inFolder('records'), chain.record);

  const enginePorts = await freePorts();
  const startEngine = () =>
    startRestate({
      dataDirectory: path.join(directory, 'engine'),
      ports: enginePorts,
      identityFile: inFolder('secrets', 'engine-identity.pem'),
      guard: killOnParentExit,
    });
  let engine = await startEngine();
  cleanUps.push(() => engine.stop('SIGKILL'));
  const ports = {
    api: await pairOfPorts(),
    admin: await pairOfPorts(),
    settlement: await pairOfPorts(),
    webhooks: await pairOfPorts(),
    settlementEngine: await pairOfPorts(),
    webhooksEngine: await pairOfPorts(),
  };
  const settings: Readonly<Record<Service, Readonly<Record<string, string>>>> = {
    api: {
      SVC_ENGINE_INGRESS_URL: engine.ingressUrl,
      SVC_SETTLEMENT_URL: ports.settlement.map(urlOf).join(','),
      SVC_API_RATE_LIMITS: 'off',
      SVC_API_METRICS_PORT: '0',
      SVC_WEBHOOKS_ALLOW_LOOPBACK: 'on',
    },
    settlement: {
      SVC_ENGINE_ADMIN_URL: engine.adminUrl,
      SVC_ENGINE_INGRESS_URL: engine.ingressUrl,
      SVC_SETTLEMENT_POLL_MS: '50',
    },
    webhooks: {
      SVC_ENGINE_ADMIN_URL: engine.adminUrl,
      SVC_ENGINE_INGRESS_URL: engine.ingressUrl,
      SVC_WEBHOOKS_ALLOW_LOOPBACK: 'on',
    },
    admin: {},
  };
  for (const [service, lines] of Object.entries(settings))
    for (const [name, value] of Object.entries(lines)) setLine(service, name, value);
  /** Two processes of a service on one machine differ in their ports alone. */
  const portsOf = ({ service, seat }: Process): Record<string, string> => {
    const name = `SVC_${service.toUpperCase()}`;
    const own = { [`${name}_PORT`]: String(ports[service][seat]) };
    if (service === 'api' || service === 'admin') return own;
    return { ...own, [`${name}_ENGINE_PORT`]: String(ports[`${service}Engine`][seat]) };
  };

  await run('migrate');
  const shop: ChangingShop = await openShop(pool, chain, undefined, shopByCommand(run, pool, chain.network));
  await sellOnSolana(pool, shop, solana);
  const operatorWords = ['operators', 'create', '--name', 'Ada', '--email', 'ada@example.com'];
  const operator = (await installation.ask(...operatorWords)) as unknown as { operator: { id: string }; key: string };

  const running = new Map<string, ServiceProcess>();
  const nameOf = ({ service, seat }: Process) => `${service} ${seat}`;
  const start = async (which: Process) => {
    const environment = { ...environmentOf(which.service), ...portsOf(which) };
    running.set(nameOf(which), await startService(mainOf(which.service), environment));
  };
  cleanUps.push(async () => {
    for (const each of running.values()) await each.kill('SIGKILL');
  });
  for (const which of processesOf(...SERVICES)) await start(which);

  const merchant = await startMerchantServer();
  cleanUps.push(merchant.close);
  const [apiUrl = '', ...otherApis] = ports.api.map(urlOf);
  const opened = await post(`${apiUrl}/sdk/webhooks/endpoints`, shop.secretKey, {
    url: merchant.url,
    eventTypes: EVENT_TYPES,
  });
  const made = (await opened.json()) as { readonly endpoint: { readonly id: string }; readonly secret: string };
  if (!opened.ok) throw new Error(JSON.stringify(made));
  merchant.knows.signingKeys = [shop.secretKey];
  merchant.knows.endpointSecrets = [made.secret];
  return {
    ...installation,
    server,
    pool,
    chain,
    solana,
    node,
    nodeKey,
    writeNetworks,
    shop,
    merchant,
    endpointId: made.endpoint.id,
    /** The operator, with the key that he shows now. */
    operator: { id: operator.operator.id, key: operator.key },
    relayer,
    apiUrls: [apiUrl, ...otherApis],
    settlementUrls: ports.settlement.map(urlOf),
    adminUrls: ports.admin.map(urlOf),
    restart: async (which: Process) => {
      await running.get(nameOf(which))?.kill('SIGTERM');
      await start(which);
    },
    restartEngine: async () => {
      await engine.stop('SIGTERM');
      engine = await startEngine();
    },
  };
}

/** A pool with a superuser of its own: the drill changes all others. */
async function observe(url: string): Promise<pg.Pool> {
  const password = randomBytes(16).toString('hex');
  const superuser = new pg.Client({ connectionString: url });
  await superuser.connect();
  await superuser.query(`create role observer superuser login password '${password}'`);
  await superuser.end();
  const own = Object.assign(new URL(url), { username: 'observer', password }).href;
  const pool = new pg.Pool({ connectionString: own, max: 4 });
  pool.on('error', () => {});
  return pool;
}
