// Two processes of each service, which are restarted one after the other with other secrets while payers go on paying.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { freePorts, type RestateServer, startRestate } from '@svc-pay/engine/server';
import { type IdentityKey, newIdentityKey } from '@svc-pay/engine/testing';
import { startChain } from '@svc-pay/evm/testing';
import { createTestDatabase } from '@svc-pay/postgres/testing';
import { killOnParentExit } from '@svc-pay/runtime/process/kill-on-parent-exit';
import { onTestFinished } from 'vitest';
import { MASTER_KEY, openShop, PEPPER, SEAL_KEY } from '../../e2e/open-shop.ts';
import { COMPILE_CACHE, mainOf, type ServiceProcess, startService } from '../../e2e/service-process.ts';
import { createProgram } from '../harness/program.ts';
import { openEndpoint } from '../settlement/open-endpoint.ts';

type Service = 'api' | 'settlement' | 'webhooks';
export type Process = { readonly service: Service; readonly seat: 0 | 1 };

const SEATS = [0, 1] as const;
const SERVICES = ['settlement', 'webhooks', 'api'] as const;
/** Every process, in the order of a rolling restart. */
export const processesOf = (...services: readonly Service[]): readonly Process[] =>
  SEATS.flatMap((seat) => services.map((service) => ({ service, seat })));

export async function startRotateWorld() {
  const database = await createTestDatabase();
  const cleanUps: (() => Promise<void> | void)[] = [];
  onTestFinished(async () => {
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
  });
  const onClean = (cleanUp: () => Promise<void> | void) => void cleanUps.push(cleanUp);
  const directory = mkdtempSync(path.join(tmpdir(), 'svc-rotate-'));
  onClean(() => rmSync(directory, { recursive: true, force: true }));
  const identity = {
    old: newIdentityKey(path.join(directory, 'old.pem')),
    next: newIdentityKey(path.join(directory, 'next.pem')),
  };
  const enginePorts = await freePorts();
  const startEngine = ({ environment }: IdentityKey): Promise<RestateServer> =>
    startRestate({
      dataDirectory: path.join(directory, 'engine'),
      ports: enginePorts,
      guard: killOnParentExit,
      environment,
    });
  let engine = await startEngine(identity.old);
  onClean(() => engine.stop('SIGKILL'));
  const chain = await startChain({ blockTimeSeconds: 0.3, relayers: 2, guard: killOnParentExit });
  onClean(() => chain.stop('SIGKILL'));
  const shop = await openShop(database.pool, chain);
  const receiverPort = (await freePorts()).node;
  const receiver = createProgram({
    file: path.resolve(import.meta.dirname, '../harness/receiver.ts'),
    arguments: [path.join(directory, 'receiver.log'), '1', '20', String(receiverPort)],
    environment: {},
    logFile: path.join(directory, 'receiver.out'),
  });
  await receiver.start();
  onClean(receiver.kill);
  receiver.tell({ calm: true });
  await openEndpoint(database.pool, shop, (id) => `http://127.0.0.1:${receiverPort}/${id}`);

  const mark = randomBytes(4).toString('hex');
  for (const service of SERVICES)
    await database.pool.query(`create role rotate_${service}_${mark} login password '${mark}' in role svc_${service}`);
  onClean(async () => {
    for (const service of SERVICES) await database.pool.query(`drop role rotate_${service}_${mark}`);
  });
  const urlOf = (service: Service) =>
    Object.assign(new URL(database.url), { username: `rotate_${service}_${mark}`, password: mark }).href;

  const internalKey = randomBytes(24).toString('hex');
  const [oldRelayer, nextRelayer] = chain.keys.relayers;
  if (oldRelayer === undefined || nextRelayer === undefined) throw new Error('the chain has no two relayers');
  /** What the next process that starts is given. */
  const secrets = {
    SVC_KEY_PEPPER: PEPPER.toString('base64'),
    SVC_MASTER_KEYS: `1:${MASTER_KEY.toString('base64')}`,
    SVC_SEAL_KEY: SEAL_KEY,
    SVC_INTERNAL_KEYS: internalKey,
    SVC_INTERNAL_KEY: internalKey,
    SVC_ENGINE_IDENTITY_KEYS: identity.old.publicKey,
    SVC_RELAYER_TEST_KEYS: oldRelayer.privateKey as string,
  };
  const networks = JSON.stringify({
    [chain.network]: {
      processor: chain.record.processor,
      processorVersion: '1.3.0',
      ready: true,
      rpcUrls: [chain.rpcUrl],
    },
  });
  const ports = {
    api: [(await freePorts()).node, (await freePorts()).node],
    settlement: [await freePorts(), await freePorts()],
    webhooks: [await freePorts(), await freePorts()],
  } as const;
  const engineUrls = { SVC_ENGINE_ADMIN_URL: engine.adminUrl, SVC_ENGINE_INGRESS_URL: engine.ingressUrl };
  const environmentOf = ({ service, seat }: Process): Record<string, string> => {
    const shared = { SVC_DATABASE_URL: urlOf(service), SVC_LOG_LEVEL: 'info' };
    if (service === 'api')
      return {
        ...shared,
        SVC_NETWORKS: networks,
        SVC_ENGINE_INGRESS_URL: engineUrls.SVC_ENGINE_INGRESS_URL,
        SVC_KEY_PEPPER: secrets.SVC_KEY_PEPPER,
        SVC_SEAL_KEY: secrets.SVC_SEAL_KEY,
        SVC_INTERNAL_KEY: secrets.SVC_INTERNAL_KEY,
        SVC_SETTLEMENT_URL: ports.settlement.map(({ admin }) => `http://127.0.0.1:${admin}`).join(','),
        SVC_API_PORT: String(ports.api[seat]),
        SVC_API_METRICS_PORT: '0',
        SVC_API_RATE_LIMITS: 'off',
        SVC_API_PUBLIC_URL: 'http://127.0.0.1:1',
      };
    const own = ports[service][seat];
    const worker = { ...shared, ...engineUrls, SVC_ENGINE_IDENTITY_KEYS: secrets.SVC_ENGINE_IDENTITY_KEYS };
    if (service === 'webhooks')
      return {
        ...worker,
        SVC_MASTER_KEYS: secrets.SVC_MASTER_KEYS,
        SVC_WEBHOOKS_MODES: 'test',
        SVC_WEBHOOKS_ALLOW_LOOPBACK: 'on',
        SVC_WEBHOOKS_PORT: String(own.admin),
        SVC_WEBHOOKS_ENGINE_PORT: String(own.node),
      };
    return {
      ...worker,
      SVC_NETWORKS: networks,
      SVC_RELAYER_TEST_KEYS: secrets.SVC_RELAYER_TEST_KEYS,
      SVC_RECOVERY_TEST_KEY: chain.keys.recovery.privateKey,
      SVC_INTERNAL_KEYS: secrets.SVC_INTERNAL_KEYS,
      SVC_SETTLEMENT_PORT: String(own.admin),
      SVC_SETTLEMENT_ENGINE_PORT: String(own.node),
      SVC_SETTLEMENT_POLL_MS: '50',
    };
  };
  const running = new Map<string, ServiceProcess>();
  const nameOf = ({ service, seat }: Process) => `${service} ${seat}`;
  const start = async (which: Process) => {
    running.set(nameOf(which), await startService(mainOf(which.service), environmentOf(which)));
  };
  for (const which of processesOf(...SERVICES)) await start(which);
  onClean(async () => {
    for (const each of running.values()) await each.kill('SIGKILL');
  });
  return {
    chain,
    shop,
    database,
    identity,
    secrets,
    oldRelayer,
    nextRelayer,
    apiUrls: ports.api.map((port) => `http://127.0.0.1:${port}`),
    settlementUrls: ports.settlement.map(({ admin }) => `http://127.0.0.1:${admin}`),
    restart: async (which: Process) => {
      await running.get(nameOf(which))?.kill('SIGTERM');
      await start(which);
    },
    restartEngine: async (key: IdentityKey) => {
      await engine.stop('SIGTERM');
      engine = await startEngine(key);
    },
    /** The operator's command, with the secrets of the moment. */
    svc: async (...argv: readonly string[]) => {
      const { SVC_KEY_PEPPER, SVC_MASTER_KEYS } = secrets;
      const env = { ...COMPILE_CACHE, SVC_DATABASE_URL: database.url, SVC_NETWORKS: networks };
      const options = { env: { ...env, SVC_KEY_PEPPER, SVC_MASTER_KEYS } };
      const { stdout } = await promisify(execFile)(process.execPath, [...mainOf('cli'), ...argv, '--json'], options);
      return JSON.parse(stdout) as Record<string, unknown>;
    },
  };
}
