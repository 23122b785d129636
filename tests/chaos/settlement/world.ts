// Everything an operator runs, each as its own process: the API, two settlements with the same keys on engines of their own,
// webhooks, PostgreSQL and a chain behind nodes that can misbehave. And the merchants' servers.
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePorts } from '@svc-pay/engine/server';
import { type LocalChain, startChain } from '@svc-pay/evm/testing';
import { guardAgainstOutliving } from '@svc-pay/operator/outlive-guard';
import { MASTER_KEY, openShop, PEPPER, type Shop } from '../../e2e/open-shop.ts';
import type { Dice } from '../harness/dice.ts';
import { type History, openHistory } from '../harness/history.ts';
import { type MortalEngine, startMortalEngine } from '../harness/mortal-engine.ts';
import { type MortalPostgres, startMortalPostgres } from '../harness/mortal-postgres.ts';
import { createProgram, type Program } from '../harness/program.ts';
import { openEndpoint } from './open-endpoint.ts';
import { type RpcNode, startRpcNode } from './rpc-node.ts';

export type SettlementBug = 'recordingEarly' | 'signingAgain';
export type WorldPlan = { readonly seed: number; readonly dice: Dice; readonly bug?: SettlementBug | undefined };

export type SettlementWorld = {
  readonly directory: string;
  readonly history: History;
  readonly receiverLog: string;
  readonly logFiles: readonly string[];
  /** Nothing of these may stand in any log. */
  readonly secrets: readonly string[];
  readonly apiUrl: string;
  readonly postgres: MortalPostgres;
  readonly engines: readonly MortalEngine[];
  readonly chain: LocalChain;
  readonly nodes: readonly RpcNode[];
  readonly shops: readonly Shop[];
  readonly api: Program;
  readonly settlements: readonly Program[];
  readonly webhooks: Program;
  readonly receiver: Program;
  /** Ends every process; the folder with the evidence goes too unless it is to be kept. */
  readonly stop: (keep: boolean) => Promise<void>;
};

const SETTLEMENTS = 2;
const NODES = 2;
const RELAYERS = 2;
const BLOCK_SECONDS = 1;
/** `finalized` lies twice as many blocks behind the newest: deeper than any reorganisation here. */
const SLOTS_IN_AN_EPOCH = 3;
const DELIVERY_LEASE_MS = '3000';
const SLOWEST_ANSWER_MS = '50';
const beside = (file: string) => path.join(import.meta.dirname, file);

export async function startSettlementWorld({ seed, dice, bug }: WorldPlan): Promise<SettlementWorld> {
  const directory = mkdtempSync(path.join(tmpdir(), 'svc-chaos-'));
  // The database server may run as somebody else.
  chmodSync(directory, 0o755);
  const inside = (name: string) => path.join(directory, name);
  const stops: (() => Promise<void>)[] = [];
  const stop = async (keep: boolean) => {
    for (let next = stops.pop(); next !== undefined; next = stops.pop()) await next();
    if (!keep) rmSync(directory, { recursive: true, force: true });
  };
  const stoppable = async <Part extends { stop: () => Promise<void> }>(starting: Promise<Part>): Promise<Part> => {
    const part = await starting;
    stops.push(() => part.stop());
    return part;
  };
  try {
    const chainOptions = { blockTimeSeconds: BLOCK_SECONDS, slotsInAnEpoch: SLOTS_IN_AN_EPOCH, relayers: RELAYERS };
    const [postgres, chain, ...engines] = await Promise.all([
      stoppable(startMortalPostgres(inside('postgres'))),
      stoppable(startChain({ ...chainOptions, guard: guardAgainstOutliving })),
      ...Array.from({ length: SETTLEMENTS }, (_, index) => stoppable(startMortalEngine(inside(`engine-${index}`)))),
    ]);
    const nodes = await Promise.all(Array.from({ length: NODES }, () => stoppable(startRpcNode(chain.rpcUrl, dice))));
    const receiverLog = inside('receiver.log');
    const ports = await Promise.all(Array.from({ length: SETTLEMENTS + 3 }, freePorts));
    const [receiverPorts, apiPorts, webhooksPorts, ...settlementPorts] = ports;
    if (receiverPorts === undefined || apiPorts === undefined || webhooksPorts === undefined)
      throw new Error('no ports');
    const receiver = createProgram({
      file: beside('../harness/receiver.ts'),
      arguments: [receiverLog, String(seed), SLOWEST_ANSWER_MS, String(receiverPorts.node)],
      environment: {},
      logFile: inside('receiver.out'),
    });
    stops.push(receiver.kill);

    const password = randomBytes(8).toString('hex');
    const databaseUrl = async (group: string) => {
      await postgres.pool.query(`create role chaos_${group} login password '${password}' in role svc_${group}`);
      return Object.assign(new URL(postgres.url), { username: `chaos_${group}`, password }).href;
    };
    const shops: Shop[] = [];
    for (let index = 0; index < 2; index += 1) shops.push(await openShop(postgres.pool, chain));
    const endpointSecrets = await Promise.all(
      shops.map((shop) => openEndpoint(postgres.pool, shop, (id) => `http://127.0.0.1:${receiverPorts.node}/${id}`)),
    );
    const internalKey = randomBytes(24).toString('hex');
    const relayerKeys = chain.keys.relayers.map(({ privateKey }) => privateKey);
    const shared = {
      SVC_NETWORKS: JSON.stringify({
        [chain.network]: {
          processor: chain.record.processor,
          processorVersion: '1.3.0',
          ready: true,
          rpcUrls: nodes.map(({ url }) => url),
          gasCoinUsd: '3000',
        },
      }),
    };
    const engineOf = (index: number) => ({
      SVC_ENGINE_ADMIN_URL: engines[index]?.adminUrl ?? '',
      SVC_ENGINE_INGRESS_URL: engines[index]?.ingressUrl ?? '',
    });
    const settlementUrl = await databaseUrl('settlement');
    const settlements = settlementPorts.map((own, index) =>
      createProgram({
        file: beside('settlement-process.ts'),
        arguments: bug === undefined ? [] : [bug],
        environment: {
          ...shared,
          ...engineOf(index),
          SVC_DATABASE_URL: settlementUrl,
          SVC_RELAYER_TEST_KEYS: relayerKeys.join(','),
          SVC_RECOVERY_TEST_KEY: chain.keys.recovery.privateKey,
          SVC_INTERNAL_KEYS: internalKey,
          SVC_SETTLEMENT_PORT: String(own.admin),
          SVC_SETTLEMENT_ENGINE_PORT: String(own.node),
          SVC_SETTLEMENT_RPC_TIMEOUT_MS: '2000',
          SVC_SETTLEMENT_RESEND_MS: '2000',
          SVC_SETTLEMENT_BUMP_MS: '6000',
        },
        logFile: inside(`settlement-${index}.log`),
      }),
    );
    const api = createProgram({
      file: beside('api-process.ts'),
      arguments: [],
      environment: {
        ...shared,
        SVC_ENGINE_INGRESS_URL: engineOf(0).SVC_ENGINE_INGRESS_URL,
        SVC_DATABASE_URL: await databaseUrl('api'),
        SVC_KEY_PEPPER: PEPPER.toString('base64'),
        SVC_API_PORT: String(apiPorts.node),
        SVC_API_METRICS_PORT: '0',
        SVC_API_RATE_LIMITS: 'off',
        SVC_SETTLE_WAIT_MS: '4000',
        SVC_SETTLEMENT_URL: `http://127.0.0.1:${settlementPorts[0]?.admin}`,
        SVC_INTERNAL_KEY: internalKey,
      },
      logFile: inside('api.log'),
    });
    const webhooks = createProgram({
      file: beside('../webhooks/worker.ts'),
      arguments: [DELIVERY_LEASE_MS],
      environment: {
        ...engineOf(1),
        SVC_DATABASE_URL: await databaseUrl('webhooks'),
        SVC_MASTER_KEYS: `1:${MASTER_KEY.toString('base64')}`,
        SVC_WEBHOOKS_MODES: 'test',
        SVC_WEBHOOKS_ALLOW_LOOPBACK: 'on',
        SVC_WEBHOOKS_PORT: String(webhooksPorts.admin),
        SVC_WEBHOOKS_ENGINE_PORT: String(webhooksPorts.node),
      },
      logFile: inside('webhooks.log'),
    });
    const services = [...settlements, api, webhooks];
    for (const service of services) stops.push(service.kill);
    await Promise.all([receiver, ...services].map((program) => program.start()));
    return {
      directory,
      history: openHistory(inside('history.log')),
      receiverLog,
      logFiles: ['api.log', 'webhooks.log', ...settlements.map((_, index) => `settlement-${index}.log`)].map(inside),
      secrets: [
        password,
        internalKey,
        MASTER_KEY.toString('base64'),
        PEPPER.toString('base64'),
        ...[...relayerKeys, chain.keys.recovery.privateKey].map((key) => key.slice(2)),
        ...shops.map(({ secretKey }) => secretKey),
        ...endpointSecrets,
      ],
      apiUrl: `http://127.0.0.1:${apiPorts.node}`,
      postgres,
      engines,
      chain,
      nodes,
      shops,
      api,
      settlements,
      webhooks,
      receiver,
      stop,
    };
  } catch (problem) {
    await stop(true);
    throw problem;
  }
}
