// A settlement process as services/settlement puts it together: lanes with their keys on nodes and store, the watchers of
// batches, held payments and authorizations, and the reconciler. Only what lies behind the ports is simulated.
import {
  createDirectWatch,
  createRefundWatch,
  createWatchers,
  type LaneDeps,
  type LanePace,
  laneKey,
  type RefundWatchStore,
  type WatchDeps,
} from '@svc-pay/core';
import {
  createMemoryDirectStore,
  createMemoryFinalityStore,
  createMemoryLaneStore,
  createMemoryReaderStore,
  createMemoryRefundWatchStore,
  createMemoryStrandedLaneStore,
  createMemoryStrandedStore,
  findForgottenLanes,
  type Statement,
  type Tables,
} from '@svc-pay/core/testing';
import {
  createEndpointPool,
  createEvmWatchedChain,
  createLaneChain,
  type JsonRpc,
  type RpcCall,
  RpcUnavailable,
  requireEndpointQuorum,
  type TransactionSigner,
} from '@svc-pay/evm';
import type { NetworkId } from '@svc-pay/protocol';
import { LOG_EVENTS } from '@svc-pay/runtime/logging/log-events';
import { createLaneDrain, createReconciler } from '@svc-pay/settlement/lanes';
import type { SimulatedNode } from '../chain/simulated-node.ts';
import type { MortalProcess } from '../runtime/mortal-process.ts';
import type { Ask } from './ask.ts';
import type { FakeEngine, Host } from './fake-engine.ts';
import type { Simulation } from './simulation.ts';

export type LaneBug = (deps: LaneDeps, tables: Tables) => LaneDeps;
type WatchStores = Pick<WatchDeps, 'finality' | 'stranded'> & { readonly refunds: RefundWatchStore };
export type WatchBug = (stores: WatchStores, tables: Tables) => WatchStores;
export type SettlementBugs = {
  readonly lane?: LaneBug | undefined;
  readonly watch?: WatchBug | undefined;
  /** What the watchers take for the last final block. */
  readonly final?: 'latest' | undefined;
};

export type Ground = {
  readonly network: NetworkId;
  readonly chainId: number;
  readonly nodes: readonly SimulatedNode[];
  readonly signers: readonly TransactionSigner[];
  /** The key that settles and returns stranded transfers. */
  readonly recovery: TransactionSigner;
  /** Some pay directly. */
  readonly hasDirect: boolean;
  /** Merchants give money back. */
  readonly hasRefunds: boolean;
};

const RPC_TIMEOUT_MS = 3_000;
const PACE: LanePace = {
  maxInFlight: 4,
  gatherMs: 200,
  pollMs: 400,
  resendMs: 2_000,
  linkMs: 500,
  bumpMs: 4_000,
  deferMs: 3_000,
  troubleMs: 1_000,
};

/** Statements that change nothing that another process depends on, or seldom do. */
const READS = /^(?:heartbeat|load|peek|find|forgotten|hasWork|shard looks|decideHeldMoney)/;

export function statementBy(ask: Ask): Statement {
  return (name, action) =>
    ask({ to: 'store', what: name, changes: !READS.test(name) }, action, () => new Error('the connection was lost'));
}

export function settlementWork(
  simulation: Simulation,
  { network, chainId, nodes, signers, recovery, hasDirect, hasRefunds }: Ground,
  process: MortalProcess,
  ask: Ask,
  engine: FakeEngine,
  bugs: SettlementBugs = {},
): Pick<Host, 'drains' | 'jobs'> {
  const { clock, tables, note, strikes, timeline } = simulation;
  const statement = statementBy(ask);
  const post = (url: string, calls: readonly RpcCall[], timeoutMs: number) => {
    const node = nodes.find(({ name }) => url.endsWith(name)) as SimulatedNode;
    if (node.mood() === 'silent') {
      return new Promise<never>((_, reject) => {
        timeline.after(timeoutMs, () => process.deliver(() => reject(new RpcUnavailable('no answer in time'))));
      });
    }
    const what = `${node.name} ${calls[0]?.method}`;
    const changes = calls.some(({ method }) => method === 'eth_sendRawTransaction');
    return ask(
      { to: 'node', what, changes },
      () => node.answer(calls),
      () => new RpcUnavailable('reset'),
    );
  };
  const [first, ...others] = nodes.map(({ name }) => `http://${name}`);
  const pool = createEndpointPool({ urls: [first as string, ...others], timeoutMs: RPC_TIMEOUT_MS, chainId, post });
  const rpc = requireEndpointQuorum(pool);
  const settling = { store: createMemoryLaneStore(tables, statement, clock), signers };
  const resolving = { store: createMemoryStrandedLaneStore(tables, statement, clock), signers: [recovery] };
  const workers = [settling, resolving].flatMap((duty) => duty.signers.map((signer) => ({ ...duty, signer })));
  const injectLaneBug = bugs.lane ?? ((deps) => deps);
  const lanes = new Map(
    workers.map(({ signer, store }) => {
      const lane = { network, relayer: signer.address };
      const chain = createLaneChain({
        network,
        rpc,
        endpoints: pool.endpoints,
        voters: pool.healthyEndpoints,
        signer,
        checkActivation: async () => ({ ok: true }),
      });
      const log: LaneDeps['log'] = (event, details) => {
        if (LOG_EVENTS[event].level === 'warn' || event === 'batch_mined')
          note(process.name, `${event} ${JSON.stringify(details)}`);
      };
      return [laneKey(lane), injectLaneBug({ store, chain, clock, pace: PACE, log }, tables)];
    }),
  );
  const wake = (drain: string, key: string) =>
    ask(
      { to: 'engine', what: `wake ${drain}`, changes: true },
      () => {
        if (!strikes('wake lost', 0.2)) engine.wake(drain, key);
      },
      () => new Error('the engine is away'),
    );
  const stores = {
    finality: createMemoryFinalityStore(tables, statement),
    stranded: createMemoryStrandedStore(tables, statement),
    refunds: createMemoryRefundWatchStore(tables, statement),
  };
  const voters = async () =>
    (await pool.healthyEndpoints()).map(
      (voter): JsonRpc =>
        (calls) =>
          voter(bugs.final === undefined ? calls : calls.map(askedOfLatest)),
    );
  const chain = createEvmWatchedChain(
    { network, voters, gasCoin: undefined },
    { readFitness: () => Promise.reject(new Error('nobody asks')), extraJobs: [] },
  );
  const watched: WatchDeps & WatchStores = {
    ...(bugs.watch?.(stores, tables) ?? stores),
    clock,
    log: (event, details) => note(process.name, `${event} ${JSON.stringify(details)}`),
    metrics: { batchMoved: () => {}, batchReversed: () => {} },
  };
  const directDeps = {
    ...watched,
    direct: createMemoryDirectStore(tables, statement),
    reader: createMemoryReaderStore(tables, statement),
  };
  return {
    drains: [createLaneDrain(lanes)],
    jobs: [
      ...createWatchers(chain, watched),
      ...(hasRefunds ? [createRefundWatch(chain, watched)] : []),
      ...(hasDirect ? [createDirectWatch({ ...chain, nodes: async () => [] }, directDeps)] : []),
      createReconciler(
        (silentSinceMs) => statement('forgottenLanes', () => findForgottenLanes(tables, silentSinceMs)),
        clock,
        wake,
        (details) => note(process.name, `lane_not_woken ${JSON.stringify(details)}`),
      ),
    ],
  };
}

const askedOfLatest = ({ method, params }: RpcCall): RpcCall => ({
  method,
  params: params.map((param) => (param === 'finalized' ? 'latest' : param)),
});
