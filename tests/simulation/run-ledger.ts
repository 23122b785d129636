// Payments on a token ledger while everything around them breaks: two settlement processes read it, clients notify them, and
// liars too. Then the storm ends, all comes to rest, and the checks look.
//
// What runs is the product: the reader of token ledgers and notify in packages/core, and the bounds of notify in
// services/settlement. Time, chance, the ledger, its boundaries and the engine are simulated; the store is the memory store of
// core/testing, which passes the contract suite of PostgreSQL. A certificate is a mark that the simulated adapter looks at.
import type { NotifyTransfer, TokenBlock } from '@svc-pay/core';
import type { MemoryIcrcPayout } from '@svc-pay/core/testing';
import type { NetworkId } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import { checkLedger, lookAtPayments } from './icrc/check-ledger.ts';
import { icrcBug } from './icrc/icrc-bugs.ts';
import { icrcWork } from './icrc/icrc-process.ts';
import { bringLedgerPayers } from './icrc/ledger-payers.ts';
import { MERCHANT_ACCOUNT, planPayers, RIVAL_ACCOUNT } from './icrc/plan-payers.ts';
import { createBoundary, createTokenLedger } from './icrc/simulated-token-ledger.ts';
import { forgedFor, stirBoundaries } from './icrc/stir-boundaries.ts';
import type { RunOptions, RunResult } from './run-result.ts';
import type { Inside } from './runtime/take-runtime.ts';
import { createFakeEngine } from './world/fake-engine.ts';
import { keepRunning } from './world/keep-running.ts';
import { ACCOUNT } from './world/merchant.ts';
import { runAlone } from './world/run-alone.ts';
import { createSimulation, type Simulation, START_MS } from './world/simulation.ts';

const NETWORK = 'icp:local' as NetworkId;
const STORM_MS = 30_000;
const WITHIN_MS = 9_000;
/** Payments that have not come to rest by then never do. */
const LONGEST_MS = 4 * 60_000;
const LOOK_MS = 500;
const DAY_MS = 86_400_000;
/** The clock of a ledger may differ from ours. */
const MOST_SKEW_MS = 5_000;
/** A share of the ledgers becomes another while it is read. */
const REPLACED = 0.08;
const FATE_SALT = 4_711;
/** Blocks that are read before that. */
const FORKED_FROM = 5n;
const ENDED: readonly string[] = ['completed', 'canceled'];

export async function runLedger(seed: number, options: RunOptions = {}): Promise<RunResult> {
  const simulation = createSimulation(seed, options.without ?? new Set());
  return runAlone(simulation, (context) => run(seed, options, simulation, context));
}

function seedPayouts({ tables }: Simulation): MemoryIcrcPayout {
  const times = { createdAtMs: START_MS - DAY_MS };
  const payout = { ...ACCOUNT, network: NETWORK, payoutId: 1n, merchant: MERCHANT_ACCOUNT, ...times };
  const rival = { ...payout, accountId: newId('account', START_MS), payoutId: 2n, merchant: RIVAL_ACCOUNT };
  tables.icrcPayouts.push(payout, rival);
  return payout;
}

async function run(
  seed: number,
  { bug, payments }: RunOptions,
  simulation: Simulation,
  context: Inside,
): Promise<RunResult> {
  const { timeline, dice, tables, note, violate } = simulation;
  const planned = planPayers(dice).slice(0, payments);
  const skewMs = Math.round((dice.roll() * 2 - 1) * MOST_SKEW_MS);
  const payout = seedPayouts(simulation);
  const ledger = createTokenLedger(NETWORK);
  // Older than every payout, and not.
  for (const ageMs of [3 * DAY_MS, 2 * DAY_MS, DAY_MS / 2]) ledger.add(null, START_MS - ageMs);
  const forge = () => forgedFor(simulation, timeline.nowMs() + skewMs);
  const boundaries = ['boundary-1', 'boundary-2'].map((name) => createBoundary(name, ledger, forge));
  const ground = { network: NETWORK, ledger: ledger.ledger, boundaries };
  const engine = createFakeEngine(simulation, 'engine');
  const doors = new Map<string, NotifyTransfer>();
  const settlements = ['settlement-1', 'settlement-2'].map((name) =>
    keepRunning(simulation, context, engine, name, new Set(), {
      freezeMs: () => 1_000 + dice.roll() * 9_000,
      work: (process, ask) =>
        icrcWork(simulation, ground, process, ask, (notify) => doors.set(name, notify), icrcBug(bug)),
    }),
  );
  const payers = bringLedgerPayers(simulation, ground, ledger, payout, planned, {
    withinMs: WITHIN_MS,
    skewMs,
    doors: () => [...doors.values()],
  });
  stirBoundaries(simulation, boundaries);
  timeline.after(STORM_MS, () => {
    note('storm', 'ends');
    simulation.endStorm();
    for (const boundary of boundaries) boundary.setMood('well');
  });
  const cursors = () => [...tables.icrcCursors.values()];
  let before: readonly TokenBlock[] | undefined;
  const installAnew = () => {
    if (cursors().every(({ nextIndex }) => nextIndex < FORKED_FROM)) {
      timeline.after(LOOK_MS, installAnew);
      return;
    }
    note('ledger', 'becomes another');
    payers.stop();
    before = [...ledger.blocks];
    ledger.becomeAnother(
      forge().map(({ transfer }) => transfer),
      timeline.nowMs() + skewMs,
    );
  };
  const fate = simulation.apart(FATE_SALT).dice;
  const isReplaced = fate.roll() < REPLACED;
  if (isReplaced) timeline.after(STORM_MS * (0.2 + 0.6 * fate.roll()), installAnew);
  const isRead = () =>
    payers.areDone() &&
    tables.icrcTransfers.size === 0 &&
    cursors().every(({ nextIndex }) => nextIndex === BigInt(ledger.blocks.length)) &&
    [...tables.intents.values()].every(({ intent }) => ENDED.includes(intent.status));
  // Of a ledger that became another nothing counts, whatever was open.
  const isStopped = () => before !== undefined && cursors().every(({ stoppedAtMs }) => stoppedAtMs !== null);
  const isSettled = () => (isReplaced ? isStopped() && tables.icrcTransfers.size === 0 : isRead());
  let over = false;
  const look = () => {
    lookAtPayments(simulation, { ...ledger, blocks: before ?? ledger.blocks });
    const isQuiet = !simulation.isStorm() && isSettled();
    if (isQuiet && !isReplaced) checkLedger(simulation, ledger, payers.intents);
    if (timeline.nowMs() - START_MS > LONGEST_MS) violate('all comes to rest', 'payments on the ledger did not');
    over = isQuiet || simulation.violations.length > 0;
    timeline.after(LOOK_MS, look);
  };
  timeline.after(LOOK_MS, look);
  await timeline.run(() => over);
  for (const settlement of settlements) settlement.stop();
  return {
    seed,
    steps: timeline.steps(),
    payments: tables.payments.size,
    deliveries: 0,
    refunds: 0,
    faults: simulation.strikeCount(),
    violations: simulation.violations,
    history: simulation.history,
  };
}
