// One seed, one run: payments come in while everything around them breaks, then the storm ends, all comes to rest, and the
// checks look. Two settlements and two webhooks processes compete for two lanes and two shards, as on two machines.
//
// What runs is the product: laneRound and all it calls in packages/core, createLaneChain, the endpoint pool and its votes in
// packages/chains/evm, the lane drain, the reconciler and the watchers of batches, held payments and authorizations, the
// chain reader, the watcher of direct authorizations, the dispatcher, due-list, pace, recorder, drain and poll of
// services/webhooks. Time, chance, nodes, receivers and the engine are simulated; the store is the memory store of
// core/testing, which passes the contract suites of PostgreSQL.

import { seedRelayer } from '@svc-pay/core/testing';
import { createLocalSigner } from '@svc-pay/evm';
import { evmNetwork } from '@svc-pay/protocol';
import { type ChainState, MERCHANT, PROCESSOR, WALLETS } from './chain/chain-state.ts';
import { createSimulatedChain } from './chain/simulated-chain.ts';
import { createSimulatedNode } from './chain/simulated-node.ts';
import type { RunOptions, RunResult } from './run-result.ts';
import type { Inside } from './runtime/take-runtime.ts';
import { deliveryBug, readerBug, refundBug, settlementBugs } from './world/bugs.ts';
import { checkDeliveries } from './world/check-deliveries.ts';
import { checkDirect, isHeldForMerchant } from './world/check-direct.ts';
import { checkOffPeriods } from './world/check-endpoints.ts';
import { checkRefunds, openRefunds } from './world/check-refunds.ts';
import { checkSettlement } from './world/check-settlement.ts';
import { openStranded } from './world/check-stranded.ts';
import { bringCustomers } from './world/customers.ts';
import { bringDirectCustomers } from './world/direct-customers.ts';
import { createEndpointDays } from './world/endpoint-days.ts';
import { createFakeEngine, wordsOf } from './world/fake-engine.ts';
import { keepRunning } from './world/keep-running.ts';
import { seedUndecided } from './world/merchant.ts';
import { planBuyers } from './world/plan-buyers.ts';
import { NO_DIRECT, planDirect } from './world/plan-direct.ts';
import { planRefunds } from './world/plan-refunds.ts';
import { createReaderWorld } from './world/reader-world.ts';
import type { Arrival } from './world/receivers.ts';
import { bringRefundMerchant } from './world/refund-merchant.ts';
import { createRestoreDrill } from './world/restore-drill.ts';
import { runAlone } from './world/run-alone.ts';
import { seedWebhooks } from './world/seed-webhooks.ts';
import { settlementWork } from './world/settlement-process.ts';
import { createSimulation, START_MS } from './world/simulation.ts';
import { stirTrouble } from './world/trouble.ts';
import { webhooksWork } from './world/webhooks-process.ts';
import { createWitness } from './world/witness.ts';

const CHAIN_ID = 84_532;
const NETWORK = evmNetwork(CHAIN_ID);
const FIRST_NONCE = 7n;
const STORM_MS = 14_000;
/** Money can be given back when it is final: the storm lasts that much longer. */
const REFUND_STORM_MS = 22_000;
const REFUND_SALT = 77_777;
/** Payments that have not come to rest by then never do. */
const LONGEST_SETTLING_MS = 4 * 60_000;
const HOUR_MS = 3_600_000;
const OVER: readonly string[] = ['completed', 'failed', 'canceled'];
/** Two relayers, and the key that settles and returns stranded transfers. */
const KEYS = [1, 2, 3].map((number) => createLocalSigner(Buffer.alloc(32, number)));

export async function runPayments(seed: number, options: RunOptions = {}): Promise<RunResult> {
  const simulation = createSimulation(seed, options.without ?? new Set());
  return runAlone(simulation, (context) => run(seed, options, simulation, context));
}

async function run(
  seed: number,
  { bug, payments }: RunOptions,
  simulation: ReturnType<typeof createSimulation>,
  context: Inside,
): Promise<RunResult> {
  const { timeline, dice, tables, note, violate } = simulation;
  const plan = planBuyers(dice);
  const buyers = plan.buyers.slice(0, payments);
  // Its chances are its own: a run without direct payments goes as it went before there were any.
  // A restore knows nothing of payments that strangers make.
  const direct = plan.backupAtMs === undefined ? planDirect(simulation.apart().dice) : NO_DIRECT;
  const giver = simulation.apart(REFUND_SALT);
  const refunds = plan.backupAtMs === undefined ? planRefunds(giver.dice) : undefined;
  const stormMs = refunds === undefined ? STORM_MS : REFUND_STORM_MS;
  const undecided = seedUndecided(simulation, NETWORK, plan.undecided, START_MS - HOUR_MS);
  const genesis: ChainState = {
    nonces: new Map(KEYS.map(({ address }) => [address as string, FIRST_NONCE])),
    balances: new Map([
      ...plan.balances,
      ...direct.balances,
      ...[MERCHANT, ...Object.values(WALLETS)].map((wallet) => [wallet, refunds?.floatAtomic ?? 0n] as const),
      [PROCESSOR, undecided.reduce((sum, { capAtomic }) => sum + capAtomic, 0n)] as const,
    ]),
    used: new Set(undecided.map(({ payer, nonce }) => `${payer} ${nonce}`)),
    settledCodes: new Set(),
    recovered: new Set(),
    paused: false,
  };
  const witness = createWitness(simulation);
  const chain = createSimulatedChain(dice, genesis, BigInt(START_MS / 1_000), plan.spoilers, {
    note: (what) => note('chain', what),
    onBlock: witness.mined,
  });
  const signers = KEYS.map((key) => ({
    address: key.address,
    signDigest: async (digest: Uint8Array) => {
      chain.sealedBy(digest, key.address);
      return key.signDigest(digest);
    },
  }));
  const nodes = ['node-1', 'node-2'].map((name) =>
    createSimulatedNode(name, chain, CHAIN_ID, (what) => note('node', what), witness.handed),
  );
  const [recovery, ...relayers] = signers.toReversed();
  if (recovery === undefined) throw new Error('no key');
  for (const { address } of relayers) seedRelayer(tables, { network: NETWORK, relayer: address }, FIRST_NONCE);
  seedRelayer(tables, { network: NETWORK, relayer: recovery.address }, FIRST_NONCE, 'resolve_stranded');
  seedWebhooks(simulation);
  const days = createEndpointDays(simulation);

  const engines = ['engine-1', 'engine-2'].map((name) => createFakeEngine(simulation, name));
  const arrivals: Arrival[] = [];
  const dead = new Set<string>();
  const ground = {
    network: NETWORK,
    chainId: CHAIN_ID,
    nodes,
    signers: relayers,
    recovery,
    hasDirect: direct.buyers.length > 0,
    hasRefunds: refunds !== undefined,
  };
  const startSettlements = (first: number) =>
    engines.map((engine, index) =>
      keepRunning(simulation, context, engine, `settlement-${index + first}`, dead, {
        freezeMs: () => 1_000 + dice.roll() * 9_000,
        work: (process, ask) => settlementWork(simulation, ground, process, ask, engine, settlementBugs(bug)),
      }),
    );
  let settlements = startSettlements(1);
  const reader = createReaderWorld(simulation, context, NETWORK, chain, dead, readerBug(bug));
  reader.start();
  for (const [index, engine] of engines.entries()) {
    keepRunning(simulation, context, engine, `webhooks-${index + 1}`, dead, {
      freezeMs: () => (dice.roll() < 0.5 ? 1_000 + dice.roll() * 9_000 : 55_000 + dice.roll() * 20_000),
      work: (process, ask) => webhooksWork(simulation, arrivals, process, ask, engine, days, deliveryBug(bug)),
    });
  }

  // Some come after the restore.
  const withinMs = STORM_MS * (plan.backupAtMs === undefined ? 0.7 : 2);
  const customers = bringCustomers(simulation, NETWORK, chain, engines, buyers, withinMs);
  const payers = bringDirectCustomers(simulation, NETWORK, chain, engines, direct.buyers, withinMs);
  const merchant = refunds && bringRefundMerchant(giver, NETWORK, chain, engines, refunds, refundBug(bug));
  let isRestoring = plan.backupAtMs !== undefined;
  if (plan.backupAtMs !== undefined && nodes[0] !== undefined) {
    const believing = bug === 'restoringNothing' ? 'nothing' : 'the chain';
    const drill = createRestoreDrill(simulation, NETWORK, chain, nodes[0], witness, believing);
    const lose = async () => {
      for (const settlement of settlements) settlement.stop();
      reader.stop();
      await drill.restore();
      reader.setBack();
      settlements = startSettlements(3);
      reader.start();
      isRestoring = false;
    };
    timeline.after(plan.backupAtMs, () => void drill.backUp());
    const cannot = (problem: unknown) => violate('a restore knows the chain', wordsOf(problem));
    timeline.after(STORM_MS + 100, () => void lose().catch(cannot));
  }
  const isSettled = () =>
    !isRestoring &&
    customers.areDone() &&
    payers.areDone() &&
    merchant?.areDone() !== false &&
    openRefunds(simulation).length === 0 &&
    [...tables.settlements.values()].every((row) => OVER.includes(row.status) || isHeldForMerchant(tables, row)) &&
    [...tables.batches.values()].every(({ status }) => status === 'finalized' || status === 'replaced') &&
    openStranded(simulation, chain).length === 0 &&
    reader.isDone();
  const isDelivered = () => [...tables.deliveries.values()].every(({ status }) => status !== 'pending');
  let isMining = true;
  let over = false;
  const mine = () => {
    if (!isMining) return;
    chain.mine();
    spread();
    reader.spread();
    timeline.after(1_000, mine);
  };
  const spread = () => {
    const blocks = chain.blocks();
    for (const node of nodes) {
      if (!node.standsStill()) timeline.after(10 + dice.roll() * 250, () => node.see(blocks));
    }
  };
  timeline.after(1_000, mine);
  stirTrouble(simulation, chain, nodes, engines);
  timeline.after(stormMs, () => {
    note('storm', 'ends');
    simulation.endStorm();
    chain.calm();
    reader.calm();
    for (const node of nodes) {
      node.setMood('well');
      node.setStill(false);
    }
  });
  const look = () => {
    witness.lookAtBooks();
    if (!simulation.isStorm() && isMining && isSettled()) {
      isMining = false;
      for (const settlement of settlements) settlement.stop();
      reader.stop();
      customers.stop();
      payers.stop();
      // Now: in the days that follow the windows of held money end, and nobody is there to return it.
      checkSettlement(simulation, chain, customers.buyers);
      checkDirect(simulation, chain, payers.buyers);
      checkRefunds(simulation, chain, merchant?.leaked ?? new Set());
      reader.check();
    }
    const lateMs = timeline.nowMs() - START_MS - (isMining ? LONGEST_SETTLING_MS : days.longestMs());
    if (lateMs > 0) violate('all comes to rest', `${isMining ? 'payments' : 'deliveries'} did not`);
    over = simulation.violations.length > 0 || (!isMining && isDelivered() && days.arePassed());
    timeline.after(isMining ? 500 : days.lookEveryMs(), look);
  };
  timeline.after(500, look);
  await timeline.run(() => over);

  // What is broken on the way is told at once: the rest of such a run would only hide it.
  if (simulation.violations.length === 0) {
    // After a restore, events of results that were recorded twice tell them twice, and endpoints are as in the backup.
    if (plan.backupAtMs === undefined) {
      checkDeliveries(simulation, arrivals, dead);
      checkOffPeriods(simulation, days);
    }
  }
  return {
    seed,
    steps: timeline.steps(),
    payments: buyers.length,
    deliveries: tables.deliveries.size,
    refunds: [...tables.askedRefunds.values()].filter(({ refund }) => refund.status === 'completed').length,
    faults: simulation.strikeCount(),
    violations: simulation.violations,
    history: simulation.history,
  };
}
