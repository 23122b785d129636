// Everything an operator runs for Solana, each as its own process: the API, settlement, webhooks, PostgreSQL, the engine, a
// chain that outlives them all behind two nodes that can misbehave, and the merchants' server.
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { freePorts } from '@svc-pay/engine/server';
import { createLocalRelayer, openNode } from '@svc-pay/solana';
import { drawActors, type LiteFaucet, openLiteFaucet } from '@svc-pay/solana/testing';
import { MASTER_KEY, PEPPER } from '../../e2e/open-shop.ts';
import { openSolanaShop, type SolanaShop } from '../../solana/open-solana-shop.ts';
import type { Dice } from '../harness/dice.ts';
import { type History, openHistory } from '../harness/history.ts';
import { type MortalEngine, startMortalEngine } from '../harness/mortal-engine.ts';
import { type MortalOptions, type MortalPostgres, startMortalPostgres } from '../harness/mortal-postgres.ts';
import { createProgram, type Program } from '../harness/program.ts';
import { openWorldFolder } from '../harness/world-folder.ts';
import { openEndpoint } from '../settlement/open-endpoint.ts';
import { plantRefundBug } from '../settlement/refund-bugs.ts';
import type { SettlementBug } from '../settlement/service-programs.ts';
import { type SolanaRpcNode, startSolanaRpcNode } from './rpc-node.ts';
import { createStoredWatch } from './stored-watch.ts';

export type SolanaChaosWorld = {
  readonly directory: string;
  readonly history: History;
  readonly receiverLog: string;
  readonly postgres: MortalPostgres;
  readonly engine: MortalEngine;
  readonly chainUrl: string;
  readonly faucet: LiteFaucet;
  readonly nodes: readonly SolanaRpcNode[];
  readonly api: Program;
  readonly apiUrl: string;
  readonly settlement: Program;
  readonly sender: Program;
  readonly receiver: Program;
  readonly relayer: string;
  readonly feeAccount: string;
  readonly shops: readonly SolanaShop[];
  /** The value of `SVC_NETWORKS`. */
  readonly networks: object;
  readonly logFiles: readonly string[];
  readonly secrets: readonly string[];
  readonly stop: (keep: boolean) => Promise<void>;
};

/** A blockhash lives for half a minute, and what landed is final after six seconds. */
const SLOT_MS = '200';
const NODES = 2;
export const RELAYER_LAMPORTS = 100_000_000_000n;
const LEASE_MS = '3000';
const SLOWEST_ANSWER_MS = '50';
const beside = (file: string) => path.join(import.meta.dirname, file);

export async function startSolanaChaosWorld(
  seed: number,
  dice: Dice,
  bug?: SettlementBug,
  options: MortalOptions = {},
): Promise<SolanaChaosWorld> {
  const { directory, inside, onStop, stoppable, stop } = openWorldFolder('svc-chaos-');
  const logFiles: string[] = [];
  const program = (name: string, file: string, given: readonly string[], environment: Record<string, string>) => {
    const logFile = inside(`${name}.log`);
    logFiles.push(logFile);
    const made = createProgram({ file: beside(file), arguments: given, environment, logFile });
    onStop(made.kill);
    return made;
  };
  try {
    const [postgres, engine] = await Promise.all([
      stoppable(startMortalPostgres(inside('postgres'), options)),
      stoppable(startMortalEngine(inside('engine'))),
    ]);
    await plantRefundBug(postgres.pool, bug);
    const history = openHistory(inside('history.log'));
    onStop(history.close);
    const chain = program('chain', '../../solana/lite-process.ts', [SLOT_MS], {});
    await chain.start();
    const chainUrl = `http://127.0.0.1:${chain.port()}`;
    const faucet = openLiteFaucet(chainUrl);
    const onSend = createStoredWatch(postgres.pool, history);
    const nodes = await Promise.all(
      Array.from({ length: NODES }, () => startSolanaRpcNode({ chainUrl, roll: dice.roll, onSend })),
    );
    onStop(...nodes.map((node) => node.stop));
    const secret = randomBytes(32);
    const { address: relayer } = await createLocalRelayer(secret);
    await faucet.fundSol(relayer, RELAYER_LAMPORTS);
    const feeAccount = (await drawActors()).platform;
    const shops = [
      await openSolanaShop(postgres.pool, faucet, feeAccount, false),
      await openSolanaShop(postgres.pool, faucet, feeAccount, true),
    ];
    const receiverLog = inside('receiver.requests');
    const [receiverPorts, apiPorts, ownPorts, senderPorts] = [
      await freePorts(),
      await freePorts(),
      await freePorts(),
      await freePorts(),
    ];
    const receiverPort = receiverPorts.node;
    const endpointSecrets: string[] = [];
    for (const shop of shops) {
      const urlOf = (id: string) => `http://127.0.0.1:${receiverPort}/${id}`;
      endpointSecrets.push(await openEndpoint(postgres.pool, shop, urlOf));
    }
    const password = randomBytes(8).toString('hex');
    const databaseUrl = async (group: string) => {
      await postgres.pool.query(`create role chaos_${group} login password '${password}' in role svc_${group}`);
      return Object.assign(new URL(postgres.url), { username: `chaos_${group}`, password }).href;
    };
    const internalKey = randomBytes(24).toString('hex');
    const networks = {
      'solana:devnet': {
        feeAccount,
        ready: true,
        rpcUrls: nodes.map(({ url }) => url),
        gasCoinUsd: '150',
        genesisHash: await openNode(chainUrl).genesisHash(),
      },
    };
    const shared = {
      SVC_NETWORKS: JSON.stringify(networks),
      SVC_ENGINE_ADMIN_URL: engine.adminUrl,
      SVC_ENGINE_INGRESS_URL: engine.ingressUrl,
    };
    const settlement = program('settlement', '../settlement/settlement-process.ts', bug === undefined ? [] : [bug], {
      ...shared,
      SVC_DATABASE_URL: await databaseUrl('settlement'),
      SVC_SOLANA_RELAYER_TEST_KEYS: `0x${secret.toString('hex')}`,
      SVC_INTERNAL_KEYS: internalKey,
      SVC_SETTLEMENT_PORT: String(ownPorts.admin),
      SVC_SETTLEMENT_ENGINE_PORT: String(ownPorts.node),
      SVC_SETTLEMENT_RPC_TIMEOUT_MS: '2000',
    });
    const api = program('api', '../settlement/api-process.ts', [], {
      ...shared,
      SVC_DATABASE_URL: await databaseUrl('api'),
      SVC_KEY_PEPPER: PEPPER.toString('base64'),
      SVC_API_PORT: String(apiPorts.node),
      SVC_API_METRICS_PORT: '0',
      SVC_API_RATE_LIMITS: 'off',
      SVC_SETTLE_WAIT_MS: '4000',
      SVC_SETTLEMENT_URL: `http://127.0.0.1:${ownPorts.admin}`,
      SVC_INTERNAL_KEY: internalKey,
    });
    const sender = program('webhooks', '../webhooks/worker.ts', [LEASE_MS], {
      SVC_ENGINE_ADMIN_URL: engine.adminUrl,
      SVC_ENGINE_INGRESS_URL: engine.ingressUrl,
      SVC_DATABASE_URL: await databaseUrl('webhooks'),
      SVC_MASTER_KEYS: `1:${MASTER_KEY.toString('base64')}`,
      SVC_WEBHOOKS_MODES: 'test',
      SVC_WEBHOOKS_ALLOW_LOOPBACK: 'on',
      SVC_WEBHOOKS_PORT: String(senderPorts.admin),
      SVC_WEBHOOKS_ENGINE_PORT: String(senderPorts.node),
    });
    const given = [receiverLog, String(seed), SLOWEST_ANSWER_MS, String(receiverPort)];
    const receiver = program('receiver', '../harness/receiver.ts', given, {});
    await Promise.all([receiver, settlement, api, sender].map((one) => one.start()));
    return {
      directory,
      history,
      receiverLog,
      postgres,
      engine,
      chainUrl,
      faucet,
      nodes,
      api,
      apiUrl: `http://127.0.0.1:${apiPorts.node}`,
      settlement,
      sender,
      receiver,
      relayer,
      feeAccount,
      shops,
      networks,
      logFiles,
      secrets: [
        password,
        internalKey,
        secret.toString('hex'),
        MASTER_KEY.toString('base64'),
        PEPPER.toString('base64'),
        ...shops.map(({ secretKey }) => secretKey),
        ...endpointSecrets,
      ],
      stop,
    };
  } catch (problem) {
    await stop(true);
    throw problem;
  }
}
