// Delivering, as the model store answers it.
import {
  type DeliveryReport,
  type DeliveryStore,
  ENDPOINT_OFF_AFTER_MS,
  type LeasedDelivery,
  type Shard,
  type ShardLease,
  type SwitchedOff,
} from '@svc-pay/core';
import type { DeliveryRow, EndpointRow, Statement, Tables } from '@svc-pay/core/testing';

const SOON_MS = 60_000;

export function createDeliveryModel(tables: Tables, statement: Statement): DeliveryStore {
  const { deliveries, endpoints, events, shards, attempts } = tables;
  const shardKey = ({ drain, index }: Pick<Shard, 'drain' | 'index'>) => `${drain} ${index}`;
  const shardLease = (lease: ShardLease) => {
    const row = shards.get(shardKey(lease));
    return row?.epoch === Number(lease.epoch) ? row : undefined;
  };
  const due = (modes: readonly string[], nowMs: number): readonly DeliveryRow[] =>
    [...deliveries.values()]
      .filter(({ status, nextAtMs, mode }) => isDue(status, nextAtMs, nowMs) && modes.includes(mode))
      .toSorted((one, other) => (one.nextAtMs ?? 0) - (other.nextAtMs ?? 0));
  const dueEndpoints = ({ index, count }: Shard, modes: readonly string[], nowMs: number) => {
    const found = new Map<
      string,
      { accountId: string; mode: DeliveryRow['mode']; endpointId: string; enabled: boolean }
    >();
    for (const { accountId, mode, endpointId } of due(modes, nowMs)) {
      if (shardOfEndpoint(endpointId, count) !== index) continue;
      found.set(endpointId, { accountId, mode, endpointId, enabled: endpoints.get(endpointId)?.status === 'enabled' });
    }
    return [...found.values()];
  };

  return {
    takeOverShard: (shard, nowMs) =>
      statement('takeOverShard', () => {
        const epoch = (shards.get(shardKey(shard))?.epoch ?? 0) + 1;
        shards.set(shardKey(shard), { epoch, awake: true, beatAtMs: nowMs });
        return String(epoch);
      }),
    heartbeatShard: (lease, nowMs) =>
      statement('heartbeatShard', () => {
        const row = shardLease(lease);
        if (row !== undefined) row.beatAtMs = nowMs;
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
        const wanted = new Set(due(modes, nowMs).map(({ endpointId }) => shardOfEndpoint(endpointId, count)));
        return [...wanted].filter((index) => {
          const key = shardKey({ drain, index });
          const row = shards.get(key);
          if (row?.awake === true && row.beatAtMs >= silentSinceMs) return false;
          shards.set(key, { epoch: row?.epoch ?? 0, awake: true, beatAtMs: nowMs });
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
        wanted.flatMap(({ accountId, mode, endpointId, room }) => {
          const endpoint = endpoints.get(endpointId);
          if (endpoint?.status !== 'enabled') return [];
          return due([mode], nowMs)
            .filter((row) => row.endpointId === endpointId && row.accountId === accountId)
            .slice(0, room)
            .map((row) => {
              if (row.leaseUntilMs !== null) {
                attempts.push({ ...attemptOf(row), outcome: 'our_fault', isLost: true });
                row.unchargedCount += 1;
              }
              row.nextAtMs = row.leaseUntilMs = nowMs + leaseMs;
              row.fence += 1;
              row.attemptCount += 1;
              tables.claims.set(`${row.eventId} ${row.endpointId} ${row.fence}`, nowMs);
              return claimedOf(row, endpoint, events.get(row.eventId));
            });
        }),
      );
    },
    recordDeliveries: async (reports, nowMs) => {
      if (reports.length === 0) return { count: 0, switchedOff: [] };
      return statement('recordDeliveries', () => {
        const switchedOff = changeHealth(tables, reports, nowMs);
        const counted = reports.filter((report) => record(tables, report, nowMs));
        return { count: counted.length, switchedOff };
      });
    },
    stopDeliveries: (endpoint, nowMs) =>
      statement('stopDeliveries', () => {
        const status = endpoints.get(endpoint.endpointId)?.status;
        if (status === 'enabled') return 0;
        const rows = due([endpoint.mode], nowMs).filter(({ endpointId }) => endpointId === endpoint.endpointId);
        for (const row of rows) {
          row.fence += 1;
          row.leaseUntilMs = null;
          row.nextAtMs = status === 'disabled' ? Number.POSITIVE_INFINITY : null;
          if (status !== 'disabled') row.status = 'discarded';
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

const isDue = (status: string, nextAtMs: number | null, nowMs: number) =>
  status === 'pending' && nextAtMs !== null && nextAtMs <= nowMs;
const attemptOf = ({ eventId, endpointId, fence, attemptCount }: DeliveryRow) => ({
  eventId,
  endpointId,
  fence: String(fence),
  attempt: attemptCount,
});

/** Any spread will do; the database has its own. */
function shardOfEndpoint(endpointId: string, count: number): number {
  let sum = 0;
  for (const character of endpointId) sum = (sum * 31 + character.charCodeAt(0)) % 9_973;
  return sum % count;
}

function claimedOf(row: DeliveryRow, endpoint: EndpointRow, event: { body: Uint8Array; sequence: number } | undefined) {
  const { url, retryCount, timeoutMs, failingSinceMs } = endpoint;
  const claimed: LeasedDelivery = {
    accountId: row.accountId,
    mode: row.mode,
    eventId: row.eventId,
    endpointId: row.endpointId,
    fence: String(row.fence),
    attempt: row.attemptCount,
    chargedBefore: row.attemptCount - 1 - row.unchargedCount,
    sequence: event?.sequence ?? 0,
    body: event?.body ?? new Uint8Array(),
    endpoint: {
      url,
      retryCount,
      timeoutMs,
      headersCiphertext: null,
      secretCiphertext: null,
      previousSecret: null,
      failingSinceMs,
    },
  };
  return claimed;
}

function record(tables: Tables, { delivery, verdict, record: attempt }: DeliveryReport, nowMs: number): boolean {
  const row = tables.deliveries.get(`${delivery.eventId} ${delivery.endpointId}`);
  if (row === undefined || String(row.fence) !== delivery.fence || row.leaseUntilMs === null) return false;
  const isOff = tables.endpoints.get(delivery.endpointId)?.status === 'disabled';
  const againAtMs = verdict.next === 'again' ? verdict.atMs : nowMs + SOON_MS;
  row.leaseUntilMs = null;
  if (verdict.next === 'succeeded' || verdict.next === 'failed')
    Object.assign(row, { status: verdict.next, nextAtMs: null });
  else row.nextAtMs = isOff ? Number.POSITIVE_INFINITY : againAtMs;
  if (verdict.next === 'again' && !verdict.charged) row.unchargedCount += 1;
  tables.attempts.push({ ...attemptOf(row), outcome: attempt.outcome, isLost: false });
  return true;
}

/** A success outweighs failures beside it, and whoever is gone is gone. */
function changeHealth(tables: Tables, reports: readonly DeliveryReport[], nowMs: number): readonly SwitchedOff[] {
  const switchedOff: SwitchedOff[] = [];
  for (const [endpointId, own] of Map.groupBy(reports, ({ delivery }) => delivery.endpointId)) {
    const endpoint = tables.endpoints.get(endpointId);
    if (endpoint?.status !== 'enabled') continue;
    const verdicts = own.map(({ verdict }) => verdict);
    const gone = verdicts.some((verdict) => verdict.next === 'parked' && verdict.reason === 'gone');
    const succeeded = verdicts.some(({ next }) => next === 'succeeded');
    const failing = verdicts.some((verdict) => verdict.next === 'parked' && verdict.reason === 'failing');
    const failed = verdicts.some(
      (verdict) => verdict.next === 'failed' || (verdict.next === 'again' && verdict.charged),
    );
    const worn =
      failing && endpoint.failingSinceMs !== null && endpoint.failingSinceMs <= nowMs - ENDPOINT_OFF_AFTER_MS;
    if (succeeded && !gone) {
      if (
        own.some(({ delivery, verdict }) => verdict.next === 'succeeded' && delivery.endpoint.failingSinceMs !== null)
      ) {
        endpoint.failingSinceMs = null;
      }
      continue;
    }
    if (gone || failing || failed) endpoint.failingSinceMs ??= nowMs;
    if (!gone && !worn) continue;
    Object.assign(endpoint, { status: 'disabled', disabledReason: gone ? 'gone' : 'failing' });
    switchedOff.push({ accountId: endpoint.accountId, endpointId, reason: gone ? 'gone' : 'failing' });
  }
  return switchedOff;
}
