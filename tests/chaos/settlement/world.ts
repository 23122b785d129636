// Everything an operator runs, each as its own process, on one of two plans: two settlements with the same keys on engines
// of their own, or two of each service on one cluster. PostgreSQL, a chain behind nodes that can misbehave, and the
// merchants' servers are the same in both.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { freePorts } from '@svc-pay/engine/server';
import type { LocalKey } from '@svc-pay/evm/local';
import { type LocalChain, startChain } from '@svc-pay/evm/testing';
import { killOnParentExit } from '@svc-pay/runtime/process/kill-on-parent-exit';
import { parseEther } from 'viem';
import { isRead, openDirectPayout } from '../../e2e/open-direct-payout.ts';
import { openShop, type Shop, USUAL } from '../../e2e/open-shop.ts';
import { type BlobStore, startBlobStore } from '../harness/blob-store.ts';
import type { Dice } from '../harness/dice.ts';
import { type History, openHistory } from '../harness/history.ts';
import { type MortalCluster, startMortalCluster } from '../harness/mortal-cluster.ts';
import { type MortalEngine, startMortalEngine } from '../harness/mortal-engine.ts';
import { type MortalPostgres, startMortalPostgres } from '../harness/mortal-postgres.ts';
import { createProgram, type Program } from '../harness/program.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { openWorldFolder, type WorldFolder } from '../harness/world-folder.ts';
import { openEndpoint } from './open-endpoint.ts';
import { plantRefundBug } from './refund-bugs.ts';
import { type RpcNode, startRpcNode } from './rpc-node.ts';
import {
  createServicePrograms,
  type EngineAddresses,
  type ServicePrograms,
  type SettlementBug,
} from './service-programs.ts';

/** One cluster of engines, with or without a place for snapshots, and two of every service. */
type ClusterPlan = { readonly snapshots: boolean; readonly print: (line: string) => void };

export type WorldPlan = {
  readonly seed: number;
  readonly dice: Dice;
  readonly bug?: SettlementBug | undefined;
  readonly cluster?: ClusterPlan;
  /** The program that backs the database up; absent: files are copied. */
  readonly pgbackrest?: string | undefined;
};

export type SettlementWorld = ServicePrograms & {
  readonly directory: string;
  readonly history: History;
  readonly receiverLog: string;
  readonly postgres: MortalPostgres;
  /** Each settlement's own, unless there is a cluster. */
  readonly engines: readonly MortalEngine[];
  readonly cluster?: MortalCluster;
  readonly blobs?: BlobStore;
  readonly chain: LocalChain;
  readonly nodes: readonly RpcNode[];
  readonly shops: readonly Shop[];
  /** Of the shops whose exact payments are direct. */
  readonly wallets: readonly string[];
  /** The key of every wallet that a payout of the shops pays. */
  readonly merchants: readonly LocalKey[];
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
const SLOWEST_ANSWER_MS = '50';
const SHOPS = 4;
/** These have a processor payout too: their up-to payments go through the processor. */
const DIRECT_SHOPS = 2;
const READER_MS = 30_000;
const beside = (file: string) => path.join(import.meta.dirname, file);

export async function startSettlementWorld({
  seed,
  dice,
  bug,
  cluster: plan,
  pgbackrest,
}: WorldPlan): Promise<SettlementWorld> {
  const { directory, inside, onStop, stoppable, stop } = openWorldFolder('svc-chaos-');
  try {
    const chainOptions = { blockTimeSeconds: BLOCK_SECONDS, slotsInAnEpoch: SLOTS_IN_AN_EPOCH, relayers: RELAYERS };
    const ownEngines = plan === undefined ? SETTLEMENTS : 0;
    const [postgres, chain, ...engines] = await Promise.all([
      stoppable(startMortalPostgres(inside('postgres'), { pgbackrest })),
      stoppable(startChain({ ...chainOptions, guard: killOnParentExit })),
      ...Array.from({ length: ownEngines }, (_, index) => stoppable(startMortalEngine(inside(`engine-${index}`)))),
    ]);
    await plantRefundBug(postgres.pool, bug);
    const clustered = plan && (await startClustered(plan, { inside, stoppable }));
    const nodes = await Promise.all(Array.from({ length: NODES }, () => stoppable(startRpcNode(chain.rpcUrl, dice))));
    const history = openHistory(inside('history.log'));
    onStop(history.close);
    const receiverLog = inside('receiver.log');
    const receiverPort = (await freePorts()).node;
    const receiver = createProgram({
      file: beside('../harness/receiver.ts'),
      arguments: [receiverLog, String(seed), SLOWEST_ANSWER_MS, String(receiverPort)],
      environment: {},
      logFile: inside('receiver.out'),
    });
    onStop(receiver.kill);
    const { shops, wallets, merchants } = await openShops(postgres.pool, chain);
    const endpointSecrets = await Promise.all(
      shops.map((shop) => openEndpoint(postgres.pool, shop, (id) => `http://127.0.0.1:${receiverPort}/${id}`)),
    );
    const services = await createServicePrograms({
      inside,
      postgres,
      chain,
      rpcUrls: nodes.map(({ url }) => url),
      engineOf: (index) => clustered?.addresses ?? addressesOf([engines[index]]),
      counts: plan === undefined ? ALONE : IN_PAIRS,
      bug,
    });
    const programs = [...services.settlements, ...services.apis, ...services.senders];
    onStop(...programs.map((program) => program.kill));
    await Promise.all([receiver, ...programs].map((program) => program.start()));
    if (!(await waitUntil(() => isRead(postgres.pool, chain.tokens.usdc), READER_MS))) {
      throw new Error('the chain reader does not start');
    }
    return {
      ...services,
      directory,
      history,
      receiverLog,
      secrets: [...services.secrets, ...shops.map(({ secretKey }) => secretKey), ...endpointSecrets],
      postgres,
      engines,
      ...(clustered && { cluster: clustered.cluster }),
      ...(clustered?.blobs && { blobs: clustered.blobs }),
      chain,
      nodes,
      shops,
      wallets,
      merchants,
      receiver,
      stop,
    };
  } catch (problem) {
    await stop(true);
    throw problem;
  }
}

const ALONE = { apis: 1, settlements: SETTLEMENTS, senders: 1 };
const IN_PAIRS = { apis: 2, settlements: SETTLEMENTS, senders: 2 };

/** Merchants whose wallets can sign, with ether for transfers of their own. */
async function openShops(pool: MortalPostgres['pool'], chain: LocalChain) {
  const keys = await Promise.all(Array.from({ length: SHOPS + DIRECT_SHOPS }, () => chain.newKey(parseEther('10'))));
  const [ofShops, ofWallets] = [keys.slice(0, SHOPS), keys.slice(SHOPS)];
  const shops: Shop[] = [];
  for (const { account } of ofShops) shops.push(await openShop(pool, chain, { ...USUAL, merchant: account.address }));
  const wallets: string[] = [];
  for (const [index, { privateKey }] of ofWallets.entries()) {
    wallets.push(await openDirectPayout(pool, chain, shops[index]?.accountId ?? '', 'exclusive', privateKey));
  }
  return { shops, wallets, merchants: keys };
}

type Addressed = { readonly adminUrl: string; readonly ingressUrl: string };

function addressesOf(nodes: readonly (Addressed | undefined)[]): EngineAddresses {
  return {
    admin: nodes.map((node) => node?.adminUrl ?? '').join(','),
    ingress: nodes.map((node) => node?.ingressUrl ?? '').join(','),
  };
}

async function startClustered(
  { snapshots, print }: ClusterPlan,
  { inside, stoppable }: Pick<WorldFolder, 'inside' | 'stoppable'>,
) {
  const directory = inside('cluster');
  mkdirSync(directory);
  const blobs = snapshots ? await stoppable(startBlobStore(inside('blobs'), print)) : undefined;
  const cluster = await stoppable(startMortalCluster(directory, blobs));
  return { cluster, blobs, addresses: addressesOf(cluster.nodes) };
}
