// What the operator's page is built from. Amounts of gas are summed from slots of five minutes of at most eight days.
import {
  isoTime,
  type LaneFact,
  type LedgerCheckFact,
  type OperatorFacts,
  PENDING_BATCH,
  RELAYER_STATUS,
  spendingFromMs,
} from '@svc-pay/core';
import type pg from 'pg';
import { sqlIs, sqlIsNot } from '../database/status-sql.ts';

const HEALTH = 'select network, offered, reason, since, checked_at from svc.network_health order by network';
const NODES = `
  select network, endpoint, answered, other_chain, took_ms, head::text, head_time, final_head::text, final_time, answered_at,
    read_at
  from svc.node_readings order by network, endpoint`;
const TOKEN_LEDGERS = `
  select network, ledger, next_index::text, read_at, stopped_at from svc.icrc_cursors order by network, ledger`;
const LANES = `
  select lane.network, lane.address, lane.mode, lane.duty, lane.status, lane.condition, lane.capped, lane.obstacle,
    lane.obstacle_since, lane.awake, lane.heartbeat_at, lane.balance::text, lane.checked_at, lane.gas_counted_from,
    pending.count as pending_count, pending.oldest as pending_oldest, paid.amount::text as spent
  from svc.relayers lane
  cross join lateral (
    select count(*)::integer as count, min(created_at) as oldest from svc.batches b
    where b.network = lane.network and b.relayer = lane.address and b.status ${sqlIs(...PENDING_BATCH)}
  ) pending
  cross join lateral (
    select coalesce(sum(amount), 0) as amount from svc.gas_paid g
    where g.network = lane.network and g.relayer = lane.address and g.slot >= $1
  ) paid
  where lane.status ${sqlIsNot(RELAYER_STATUS.retired)} order by lane.network, lane.address`;
const BACKLOG = 'select stage, network, waiting, oldest from svc.report_backlog()';
const CHECKS = `
  (select * from svc.ledger_checks where ended_at is not null order by id desc limit 1)
  union all
  (select * from svc.ledger_checks where ended_at is null
     and id > coalesce((select max(id) from svc.ledger_checks where ended_at is not null), 0) order by id desc limit 1)`;

type NodeRow = {
  readonly network: string;
  readonly endpoint: number;
  readonly answered: boolean;
  readonly other_chain: boolean;
  readonly took_ms: number;
  readonly head: string | null;
  readonly head_time: Date | null;
  readonly final_head: string | null;
  readonly final_time: Date | null;
  readonly answered_at: Date | null;
  readonly read_at: Date;
};
type LaneRow = Pick<LaneFact, 'network' | 'mode' | 'status' | 'condition' | 'capped' | 'obstacle' | 'awake'> & {
  readonly address: string;
  readonly duty: string;
  readonly obstacle_since: Date | null;
  readonly heartbeat_at: Date | null;
  readonly balance: string | null;
  readonly checked_at: Date | null;
  readonly gas_counted_from: Date;
  readonly pending_count: number;
  readonly pending_oldest: Date | null;
  readonly spent: string;
};
type CheckRow = {
  readonly started_at: Date;
  readonly networks: string[];
  readonly books_at: Date | null;
  readonly ended_at: Date | null;
  readonly uncompared: string[] | null;
  readonly looked: string | null;
  readonly differing: string | null;
  readonly obstacle: string | null;
};
type HealthRow = { network: string; offered: boolean; reason: string | null; since: Date; checked_at: Date };
type LedgerRow = {
  network: string;
  ledger: string;
  next_index: string;
  read_at: Date | null;
  stopped_at: Date | null;
};
type BacklogRow = { stage: string; network: string | null; waiting: number; oldest: Date | null };

export async function loadOperatorFacts(pool: pg.Pool, nowMs: number): Promise<OperatorFacts> {
  const [health, nodes, tokenLedgers, lanes, backlog, checks] = await Promise.all([
    pool.query<HealthRow>(HEALTH),
    pool.query<NodeRow>(NODES),
    pool.query<LedgerRow>(TOKEN_LEDGERS),
    pool.query<LaneRow>(LANES, [isoTime(spendingFromMs(nowMs))]),
    pool.query<BacklogRow>(BACKLOG),
    pool.query<CheckRow>(CHECKS),
  ]);
  const ended = checks.rows.find(({ ended_at }) => ended_at !== null);
  const open = checks.rows.find(({ ended_at }) => ended_at === null);
  return {
    health: health.rows.map(({ since, checked_at, ...row }) => ({
      ...row,
      sinceMs: since.getTime(),
      checkedAtMs: checked_at.getTime(),
    })),
    nodes: nodes.rows.map(nodeOf),
    tokenLedgers: tokenLedgers.rows.map(({ next_index, read_at, stopped_at, ...row }) => ({
      ...row,
      nextIndex: BigInt(next_index),
      readAtMs: msOf(read_at),
      stoppedAtMs: msOf(stopped_at),
    })),
    lanes: lanes.rows.map(laneOf),
    backlog: backlog.rows.map(({ oldest, ...row }) => ({ ...row, oldestMs: msOf(oldest) })),
    lastCheck: ended && checkOf(ended),
    openCheck: open && checkOf(open),
  };
}

const msOf = (time: Date | null): number | null => time?.getTime() ?? null;
const bigOf = (text: string | null): bigint | null => (text === null ? null : BigInt(text));

const nodeOf = (row: NodeRow): OperatorFacts['nodes'][number] => ({
  network: row.network,
  endpoint: row.endpoint,
  answered: row.answered,
  otherChain: row.other_chain,
  tookMs: row.took_ms,
  head: bigOf(row.head),
  headMs: msOf(row.head_time),
  finalHead: bigOf(row.final_head),
  finalMs: msOf(row.final_time),
  answeredAtMs: msOf(row.answered_at),
  readAtMs: row.read_at.getTime(),
});

const laneOf = ({ network, mode, status, condition, capped, obstacle, awake, ...row }: LaneRow): LaneFact => ({
  network,
  relayer: row.address,
  mode,
  duty: row.duty === 'resolve_stranded' ? 'recover' : 'settle',
  status,
  condition,
  capped,
  obstacle,
  obstacleSinceMs: msOf(row.obstacle_since),
  awake,
  heartbeatAtMs: msOf(row.heartbeat_at),
  pendingCount: row.pending_count,
  pendingOldestMs: msOf(row.pending_oldest),
  balanceAtomic: bigOf(row.balance),
  checkedAtMs: msOf(row.checked_at),
  spentAtomic: BigInt(row.spent),
  gasCountedFromMs: row.gas_counted_from.getTime(),
});

const checkOf = (row: CheckRow): LedgerCheckFact => ({
  startedAtMs: row.started_at.getTime(),
  endedAtMs: msOf(row.ended_at),
  booksAtMs: msOf(row.books_at),
  networks: row.networks,
  uncompared: row.uncompared ?? [],
  looked: row.looked === null ? null : Number(row.looked),
  differing: row.differing === null ? null : Number(row.differing),
  obstacle: row.obstacle,
});
