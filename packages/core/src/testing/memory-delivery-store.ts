// DeliveryStore in memory. It answers as packages/postgres does: both run delivery-store-contract.ts.
import {
  chargedBefore,
  type DeliveryReport,
  type DeliveryStore,
  type DueEndpoint,
  decideReports,
  decideUnsendable,
  isUncharged,
  type LeasedDelivery,
  type Mode,
  type RecordedDeliveries,
  type Shard,
  type ShardLease,
  type SwitchedOff,
} from '../index.ts';
import {
  type DeliveryRow,
  deliveryRowKey,
  dueAtMs,
  type EndpointRow,
  type MemoryDeliveryTables,
  type MemoryEventBodies,
} from './memory-delivery-tables.ts';
import { memoryEndpoint } from './memory-endpoints.ts';
import type { Statement } from './memory-tables.ts';

type Tables = MemoryDeliveryTables & MemoryEventBodies;

export function createMemoryDeliveryStore(tables: Tables, statement: Statement): DeliveryStore {
  const { endpoints, shards } = tables;
  const shardKey = ({ drain, index }: Pick<Shard, 'drain' | 'index'>) => `${drain} ${index}`;
  const shardLease = (lease: ShardLease) => {
    const row = shards.get(shardKey(lease));
    return row?.epoch === Number(lease.epoch) ? row : undefined;
  };
  const dueEndpoints = ({ index, count }: Shard, modes: readonly Mode[], nowMs: number): readonly DueEndpoint[] => {
    const found = new Map<string, DueEndpoint>();
    for (const row of dueDeliveries(tables, modes, nowMs)) {
      const { accountId, mode, endpointId } = row;
      if (shardOfEndpoint(endpointId, count) !== index) continue;
      const enabled = memoryEndpoint({ endpoints }, row)?.status === 'enabled';
      found.set(endpointId, { accountId, mode, endpointId, enabled });
    }
    return [...found.values()];
  };

  return {
    takeOverShard: (shard, nowMs) =>
      statement('takeOverShard', () => {
        const epoch = (shards.get(shardKey(shard))?.epoch ?? 0) + 1;
        shards.set(shardKey(shard), { epoch, awake: true, heartbeatAtMs: nowMs });
        return String(epoch);
      }),
    heartbeatShard: (lease, nowMs) =>
      statement('heartbeatShard', () => {
        const row = shardLease(lease);
        if (row !== undefined) row.heartbeatAtMs = nowMs;
        return row !== undefined;
      }),
    fallAsleep: async (lease, modes, nowMs) => {
      const set = (awake: boolean) => () => {
        const row = shardLease(lease);
        if (row !== undefined) row.awake = awake;
      };
      await statement('shard sleeps', set(false));
      if ((await statement('shard looks', () => dueEndpoints(lease, modes, nowMs))).length === 0) return true;
      await statement('shard wakes', set(true));
      return false;
    },
    findSleepingShards: ({ drain, count }, modes, nowMs, silentSinceMs) =>
      statement('findSleepingShards', () => {
        const due = dueDeliveries(tables, modes, nowMs);
        const wanted = new Set(due.map(({ endpointId }) => shardOfEndpoint(endpointId, count)));
        return [...wanted].filter((index) => {
          const key = shardKey({ drain, index });
          const row = shards.get(key);
          if (row?.awake === true && row.heartbeatAtMs >= silentSinceMs) return false;
          shards.set(key, { epoch: row?.epoch ?? 0, awake: true, heartbeatAtMs: nowMs });
          return true;
        });
      }),
    findDueEndpoints: (shard, modes, nowMs) =>
      statement('findDueEndpoints', () => ({ endpoints: dueEndpoints(shard, modes, nowMs), all: true })),
    findFreshEndpoints: (shard, modes, nowMs) =>
      statement('findFreshEndpoints', () => dueEndpoints(shard, modes, nowMs)),
    walkDueEndpoints: (shard, modes, nowMs, after) =>
      statement('walkDueEndpoints', () => ({
        endpoints: dueEndpoints(shard, modes, nowMs).filter(({ endpointId }) => endpointId > after),
        after: '',
      })),
    leaseDeliveries: async (wanted, nowMs, leaseMs) => {
      if (wanted.length === 0) return [];
      return statement('leaseDeliveries', () =>
        wanted.flatMap((key) => {
          const endpoint = memoryEndpoint(tables, key);
          if (endpoint?.status !== 'enabled') return [];
          const due = dueDeliveries(tables, [key.mode], nowMs).filter(
            ({ endpointId, accountId }) => endpointId === key.endpointId && accountId === key.accountId,
          );
          const first = due.filter((row) => row.goesFirst);
          const others = due.filter((row) => !row.goesFirst).slice(0, key.room);
          return [...first, ...others]
            .slice(0, key.room + key.keptRoom)
            .map((row) => lease(tables, row, endpoint, nowMs, leaseMs));
        }),
      );
    },
    recordDeliveries: async (reports, nowMs) => {
      if (reports.length === 0) return { count: 0, givenUp: [], switchedOff: [] };
      return statement('recordDeliveries', () => record(tables, reports, nowMs));
    },
    stopDeliveries: (key, nowMs) =>
      statement('stopDeliveries', () => {
        const status = memoryEndpoint(tables, key)?.status;
        if (status === 'enabled') return 0;
        const rows = dueDeliveries(tables, [key.mode], nowMs).filter(
          ({ endpointId, accountId }) => endpointId === key.endpointId && accountId === key.accountId,
        );
        const decision = decideUnsendable(status);
        for (const row of rows) {
          Object.assign(row, decision, { leaseUntilMs: null, fence: row.fence + 1 });
          row.finishedAtMs = decision.status === 'pending' ? null : nowMs;
        }
        return rows.length;
      }),
    loadSigningKeys: (holders) =>
      statement('loadSigningKeys', () =>
        tables.signingKeys.filter(({ accountId, mode, revoked }) =>
          holders.some((holder) => holder.accountId === accountId && holder.mode === mode && !revoked),
        ),
      ),
  };
}

/** Longest due first. */
function dueDeliveries(
  { deliveries }: MemoryDeliveryTables,
  modes: readonly Mode[],
  nowMs: number,
): readonly DeliveryRow[] {
  return [...deliveries.values()]
    .filter((row) => row.status === 'pending' && dueAtMs(row) <= nowMs && modes.includes(row.mode))
    .toSorted((one, other) => (one.nextAtMs ?? 0) - (other.nextAtMs ?? 0));
}

/** Any spread will do; the database has its own. */
function shardOfEndpoint(endpointId: string, count: number): number {
  let sum = 0;
  for (const character of endpointId) sum = (sum * 31 + character.charCodeAt(0)) % 9_973;
  return sum % count;
}

function lease(
  { attempts, leases, events }: Tables,
  row: DeliveryRow,
  { url, retryCount, timeoutMs }: EndpointRow,
  nowMs: number,
  leaseMs: number,
): LeasedDelivery {
  if (row.leaseUntilMs !== null) {
    const lost = { outcome: 'our_fault', responseStatus: null, recordedAtMs: nowMs, isLost: true } as const;
    attempts.push({ ...attemptOf(row), ...lost });
    row.unchargedCount += 1;
  }
  row.leaseUntilMs = nowMs + leaseMs;
  row.fence += 1;
  row.attemptCount += 1;
  leases.set(`${deliveryRowKey(row)} ${row.fence}`, nowMs);
  const { accountId, mode, eventId, endpointId, attemptCount, unchargedCount } = row;
  const event = events.get(eventId);
  return {
    accountId,
    mode,
    eventId,
    endpointId,
    fence: String(row.fence),
    attempt: attemptCount,
    chargedBefore: chargedBefore(attemptCount, unchargedCount),
    sequence: event?.sequence ?? 0,
    goesFirst: row.goesFirst,
    body: event?.body ?? new Uint8Array(),
    endpoint: {
      url,
      retryCount,
      timeoutMs,
      headersCiphertext: null,
      secretCiphertext: null,
      previousSecret: null,
    },
  };
}

const attemptOf = ({ eventId, endpointId, fence, attemptCount }: DeliveryRow) => ({
  eventId,
  endpointId,
  fence: String(fence),
  attempt: attemptCount,
});

function record(tables: Tables, reports: readonly DeliveryReport[], nowMs: number): RecordedDeliveries {
  const leased = reports.flatMap((report) => {
    const row = tables.deliveries.get(deliveryRowKey(report.delivery));
    if (row === undefined || row.leaseUntilMs === null || String(row.fence) !== report.delivery.fence) return [];
    return [{ report, row }];
  });
  const givenUp: Mode[] = [];
  const switchedOff: SwitchedOff[] = [];
  for (const [endpointId, own] of Map.groupBy(leased, ({ row }) => row.endpointId)) {
    const [first] = own;
    if (first === undefined) continue;
    const endpoint = memoryEndpoint(tables, first.row);
    const decided = decideReports(
      endpoint,
      own.map(({ report }) => report),
      nowMs,
    );
    if (endpoint !== undefined) writeHealth(endpoint, decided.health, nowMs);
    if (decided.health.next === 'off') {
      switchedOff.push({ accountId: first.row.accountId, endpointId, reason: decided.health.reason });
    }
    for (const [index, { report, row }] of own.entries()) {
      Object.assign(row, decided.deliveries[index], { leaseUntilMs: null });
      row.finishedAtMs = row.status === 'pending' ? null : nowMs;
      if (row.status === 'failed') givenUp.push(row.mode);
      if (isUncharged(report.verdict)) row.unchargedCount += 1;
      const { outcome, responseStatus } = report.record;
      tables.attempts.push({ ...attemptOf(row), outcome, responseStatus, recordedAtMs: nowMs, isLost: false });
    }
  }
  return { count: leased.length, givenUp, switchedOff };
}

function writeHealth(endpoint: EndpointRow, health: ReturnType<typeof decideReports>['health'], nowMs: number): void {
  if (health.next === 'healthy' && endpoint.status === 'enabled') endpoint.failingSinceMs = null;
  if ('sinceMs' in health) endpoint.failingSinceMs = health.sinceMs;
  if (health.next === 'off') {
    Object.assign(endpoint, { status: 'disabled', disabledReason: health.reason, changedAtMs: nowMs });
  }
}
