// Builds the report of the operator's page from what the processes recorded.
import type { NetworkId } from '@svc-pay/protocol';
import { GENERAL_STAGES, NETWORK_STAGES, type OperatorReport } from '@svc-pay/protocol/operator';
import { isoTime } from '../clock.ts';
import { findChain } from '../token/chain.ts';
import { judgeNode, networkHeads, type StoredNodeReading } from './node-readings.ts';
import { relayerFloat } from './relayer-float.ts';

/** Settlement reads nodes every 15 to 50 seconds, and relayers and networks every 1 to 25. */
const READING_OLD_MS = 60_000;
/** The check runs daily; the alert on its age has the same limit. */
const CHECK_OLD_MS = 100_000_000;
/** As many are counted of a stage. */
const MOST_COUNTED = 10_000;

export type BacklogFact = {
  readonly stage: string;
  readonly network: string | null;
  readonly waiting: number;
  readonly oldestMs: number | null;
};

export type LedgerCheckFact = {
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
  readonly booksAtMs: number | null;
  readonly networks: readonly string[];
  readonly uncompared: readonly string[];
  readonly looked: number | null;
  readonly differing: number | null;
  readonly obstacle: string | null;
};

export type LaneFact = {
  readonly network: string;
  readonly relayer: string;
  readonly mode: 'test' | 'live';
  readonly duty: 'settle' | 'recover';
  readonly status: string;
  readonly condition: string;
  readonly capped: boolean;
  readonly obstacle: string | null;
  readonly obstacleSinceMs: number | null;
  readonly awake: boolean;
  readonly heartbeatAtMs: number | null;
  readonly pendingCount: number;
  readonly pendingOldestMs: number | null;
  readonly balanceAtomic: bigint | null;
  readonly checkedAtMs: number | null;
  readonly spentAtomic: bigint;
  readonly gasCountedFromMs: number;
};

export type OperatorFacts = {
  readonly health: readonly {
    readonly network: string;
    readonly offered: boolean;
    readonly reason: string | null;
    readonly sinceMs: number;
    readonly checkedAtMs: number;
  }[];
  readonly nodes: readonly (StoredNodeReading & { readonly network: string })[];
  readonly tokenLedgers: readonly {
    readonly network: string;
    readonly ledger: string;
    readonly nextIndex: bigint;
    readonly readAtMs: number | null;
    readonly stoppedAtMs: number | null;
  }[];
  readonly lanes: readonly LaneFact[];
  readonly backlog: readonly BacklogFact[];
  /** The last one that ended, and one that began later. */
  readonly lastCheck: LedgerCheckFact | undefined;
  readonly openCheck: LedgerCheckFact | undefined;
};

export function operatorReportOf(facts: OperatorFacts, nowMs: number): OperatorReport {
  const networks = new Set([
    ...facts.health.map(({ network }) => network),
    ...facts.nodes.map(({ network }) => network),
    ...facts.tokenLedgers.map(({ network }) => network),
    ...facts.lanes.map(({ network }) => network),
  ]);
  return {
    at: isoTime(nowMs),
    networks: [...networks].toSorted().map((network) => networkOf(facts, network, nowMs)),
    lanes: facts.lanes.map((lane) => laneOf(lane, nowMs)),
    backlog: GENERAL_STAGES.map((stage) => ({ stage, ...backlogOf(facts.backlog, stage, null) })),
    ledgerCheck: {
      last: facts.lastCheck === undefined ? null : checkOf(facts.lastCheck, nowMs),
      open: facts.openCheck === undefined ? null : checkOf(facts.openCheck, nowMs),
    },
  };
}

function networkOf(facts: OperatorFacts, network: string, nowMs: number): OperatorReport['networks'][number] {
  const health = facts.health.find((one) => one.network === network);
  const nodes = facts.nodes.filter((one) => one.network === network);
  const { head, finality } = networkHeads(nodes);
  return {
    network,
    offered: health?.offered ?? null,
    reason: health?.reason ?? null,
    since: timeOf(health?.sinceMs),
    health: readingOf(health?.checkedAtMs, nowMs),
    head: head === null ? null : String(head),
    finality: finality === null ? null : { blocks: String(finality.blocks), seconds: finality.seconds },
    nodes: nodes.map((node) => ({
      ...readingOf(node.readAtMs, nowMs),
      endpoint: node.endpoint,
      state: judgeNode(node, nodes),
      head: node.head === null ? null : String(node.head),
      headTime: timeOf(node.headMs),
      finalHead: node.finalHead === null ? null : String(node.finalHead),
      tookMs: node.tookMs,
      answeredAt: timeOf(node.answeredAtMs),
    })),
    tokenLedgers: facts.tokenLedgers
      .filter((one) => one.network === network)
      .map(({ ledger, nextIndex, readAtMs, stoppedAtMs }) => ({
        ...readingOf(readAtMs, nowMs),
        ledger,
        nextIndex: String(nextIndex),
        stoppedAt: timeOf(stoppedAtMs),
      })),
    backlog: NETWORK_STAGES.map((stage) => ({ stage, ...backlogOf(facts.backlog, stage, network) })),
  };
}

function laneOf(lane: LaneFact, nowMs: number): OperatorReport['lanes'][number] {
  const { network, relayer, mode, duty, status, condition, capped, obstacle, awake } = lane;
  const chain = findChain(network as NetworkId);
  const float = relayerFloat({
    balanceAtomic: lane.balanceAtomic ?? undefined,
    spentAtomic: lane.spentAtomic,
    countedFromMs: lane.gasCountedFromMs,
    nowMs,
  });
  return {
    network,
    relayer,
    mode,
    duty,
    status,
    condition,
    capped,
    obstacle,
    obstacleSince: timeOf(lane.obstacleSinceMs),
    awake,
    heartbeatAt: timeOf(lane.heartbeatAtMs),
    pending: { count: lane.pendingCount, oldestAt: timeOf(lane.pendingOldestMs) },
    balance: lane.balanceAtomic === null ? null : String(lane.balanceAtomic),
    coin: { symbol: chain?.gasSymbol ?? '', decimals: chain?.gasDecimals ?? 0 },
    checked: readingOf(lane.checkedAtMs, nowMs),
    float: float.kind === 'days' ? { kind: 'days', days: float.days, perDay: String(float.perDayAtomic) } : float,
  };
}

function backlogOf(facts: readonly BacklogFact[], stage: string, network: string | null) {
  const fact = facts.find((one) => one.stage === stage && one.network === network);
  const count = fact?.waiting ?? 0;
  return { count, more: count >= MOST_COUNTED, oldestAt: timeOf(fact?.oldestMs) };
}

const checkOf = (fact: LedgerCheckFact, nowMs: number) => ({
  startedAt: isoTime(fact.startedAtMs),
  endedAt: timeOf(fact.endedAtMs),
  booksAt: timeOf(fact.booksAtMs),
  networks: [...fact.networks],
  uncompared: [...fact.uncompared],
  looked: fact.looked,
  differing: fact.differing,
  obstacle: fact.obstacle,
  old: nowMs - fact.startedAtMs > CHECK_OLD_MS,
});

const timeOf = (ms: number | null | undefined): string | null => (ms === null || ms === undefined ? null : isoTime(ms));

/** What was never read is old. */
const readingOf = (ms: number | null | undefined, nowMs: number) => ({
  at: timeOf(ms),
  old: ms === null || ms === undefined || nowMs - ms > READING_OLD_MS,
});
