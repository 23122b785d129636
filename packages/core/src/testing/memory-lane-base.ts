// What every lane does in the memory store, whatever its queue holds: leases, nonces, stored transactions and batches.
import type { NetworkId } from '@svc-pay/protocol';
import {
  type BatchToStore,
  bookLosses,
  type Clock,
  type FoundBatch,
  type GasSplit,
  isUnattended,
  type Lane,
  type LaneItem,
  type LaneLease,
  type LaneStore,
  laneHasWork,
  laneKey,
  lostItems,
  NO_LINK,
  type PaymentLink,
  type PendingBatch,
  type QueueShare,
  queueShareOf,
  seenLinks,
  splitGas,
} from '../index.ts';
import { linkPayments } from './memory-payment-results.ts';
import { leaveBatch, linkRefunds } from './memory-refunds.ts';
import { type BatchRow, isPendingBatch, type RelayerRow, type Statement, type Tables } from './memory-tables.ts';

type Shared =
  | 'takeOver'
  | 'heartbeat'
  | 'storeTransaction'
  | 'recordAttempts'
  | 'recordSeen'
  | 'recordReplaced'
  | 'advanceNonce'
  | 'noteObstacle'
  | 'fallAsleep';

export type MemoryLaneBase = {
  readonly shared: Pick<LaneStore, Shared>;
  readonly at: <Result>(name: string, action: (nowMs: number) => Result) => Promise<Result>;
  /** Undefined when the lane was taken over. */
  readonly leasedRow: (lease: LaneLease) => RelayerRow | undefined;
  readonly loadPending: (
    lane: Lane,
    itemsOf: (batchIds: readonly string[]) => readonly (readonly LaneItem[])[],
  ) => Promise<readonly PendingBatch[]>;
  /** `take` takes the items of a batch off their queue. */
  readonly storeBatches: (
    lease: LaneLease,
    batches: readonly BatchToStore[],
    isQueued: (item: LaneItem) => boolean,
    take: (item: LaneItem, batchId: string) => void,
  ) => Promise<boolean>;
  /** Undefined when the batch was recorded before. */
  readonly splitGasOf: (found: FoundBatch) => GasSplit | undefined;
  /** Comes last: until then nothing is written that a failure would have to undo. */
  readonly markMined: (lease: LaneLease, found: FoundBatch, split: GasSplit, nowMs: number) => void;
};

export function createMemoryLaneBase(tables: Tables, statement: Statement, clock: Clock): MemoryLaneBase {
  const { batches, settlements } = tables;
  /** Time is the caller's: that of the call, not of its arrival. */
  const at: MemoryLaneBase['at'] = (name, action) => {
    const nowMs = clock.nowMs();
    return statement(name, () => action(nowMs));
  };
  const rowOf = (lane: Lane): RelayerRow | undefined => tables.relayers.get(laneKey(lane));
  const leasedRow = (lease: LaneLease): RelayerRow | undefined => {
    const row = rowOf(lease);
    return row?.epoch === lease.epoch ? row : undefined;
  };
  const batchesOf = ({ network, relayer }: Lane): readonly BatchRow[] =>
    [...batches.values()].filter((batch) => batch.network === network && batch.relayer === relayer);

  const shared: MemoryLaneBase['shared'] = {
    takeOver: (lane) =>
      at('takeOver', (nowMs) => {
        const row = rowOf(lane);
        if (row === undefined) throw new Error(`no relayer ${laneKey(lane)}`);
        Object.assign(row, { epoch: row.epoch + 1n, awake: true, beatAtMs: nowMs });
        return row.epoch;
      }),
    heartbeat: (lease) =>
      at('heartbeat', (nowMs) => {
        const row = leasedRow(lease);
        if (row === undefined) return undefined;
        row.beatAtMs = nowMs;
        return {
          nextNonce: row.nextNonce,
          open: row.status === 'active',
          share: shareOf(tables, row, nowMs),
          obstacle: row.obstacle,
        };
      }),
    storeTransaction: (lease, batchId, { transactionId, raw }) =>
      at('storeTransaction', (nowMs) => {
        const batch = batches.get(batchId);
        if (leasedRow(lease) === undefined || batch === undefined || !isPendingBatch(batch)) return false;
        requireUnknown(tables, transactionId);
        batch.transactionId = transactionId;
        batch.transactions.push({ transactionId, raw, signedAtMs: nowMs });
        return true;
      }),
    recordAttempts: (lease, attempts) =>
      at('recordAttempts', (nowMs) => {
        if (leasedRow(lease) === undefined) return;
        for (const { batch, taken, link } of attempts) {
          const row = batches.get(batch.id);
          if (row === undefined || !isPendingBatch(row)) continue;
          if (taken) Object.assign(row, { status: 'broadcast', updatedAtMs: nowMs });
          if (link === undefined) continue;
          Object.assign(row, { linkedTo: link, seenIn: null });
          linkRefunds(tables, batch.items, link);
          linkBatch(tables, batch, { transactionId: link, transactionSplitId: null }, nowMs);
        }
      }),
    recordSeen: (lease, found) =>
      at('recordSeen', (nowMs) => {
        if (leasedRow(lease) === undefined) return false;
        for (const one of found) {
          const row = batches.get(one.batch.id);
          if (row === undefined || !isPendingBatch(row)) continue;
          Object.assign(row, { linkedTo: one.mined.transactionId, seenIn: one.mined.blockHash });
          linkRefunds(tables, one.batch.items, one.mined.transactionId);
          linkPayments(tables, seenLinks([one]), nowMs);
        }
        return true;
      }),
    recordReplaced: (lease, batchId) =>
      at('recordReplaced', (nowMs) => {
        if (leasedRow(lease) === undefined) return false;
        const batch = batches.get(batchId);
        if (batch === undefined || !isPendingBatch(batch)) return true;
        Object.assign(batch, { status: 'replaced', linkedTo: null, seenIn: null, updatedAtMs: nowMs });
        for (const row of tables.refunds.values()) if (row.batchId === batchId) leaveBatch(row);
        for (const row of [...settlements.values(), ...tables.stranded.values()]) {
          if (row.batchId !== batchId || row.status !== 'batched') continue;
          Object.assign(row, { status: 'queued', relayer: null, batchId: null });
          const settlement = 'item' in row ? row : settlements.get(row.paymentId ?? '');
          if (settlement) linkBatch(tables, { id: batchId, items: [settlement.item] }, NO_LINK, nowMs);
        }
        return true;
      }),
    advanceNonce: (lease, from, to) =>
      statement('advanceNonce', () => {
        const row = leasedRow(lease);
        const inTheWay = batchesOf(lease).some(
          (batch) => isPendingBatch(batch) || (batch.nonce >= from && batch.status !== 'replaced'),
        );
        if (row?.nextNonce === from && !inTheWay) row.nextNonce = to;
      }),
    noteObstacle: (lease, obstacle) =>
      at('noteObstacle', (nowMs) => {
        const row = leasedRow(lease);
        if (row === undefined || row.obstacle === obstacle) return;
        Object.assign(row, { obstacle, obstacleSinceMs: obstacle === null ? null : nowMs });
      }),
    fallAsleep: async (lease) => {
      const set = (awake: boolean) => () => {
        const row = leasedRow(lease);
        if (row !== undefined) row.awake = awake;
      };
      await statement('sleep', set(false));
      if (!(await statement('hasWork', () => hasWork(tables, rowOf(lease))))) return true;
      await statement('wake', set(true));
      return false;
    },
  };

  return {
    shared,
    at,
    leasedRow,
    loadPending: async (lane, itemsOf) => {
      const pending = await statement('loadPendingBatches', () =>
        batchesOf(lane)
          .filter(isPendingBatch)
          .toSorted((one, other) => (one.nonce < other.nonce ? -1 : 1))
          .map((batch) => ({ ...batch, transactions: [...batch.transactions] })),
      );
      if (pending.length === 0) return [];
      const items = await statement('loadPendingBatches items', () => itemsOf(pending.map(({ id }) => id)));
      return pending.map(({ id, nonce, status, updatedAtMs, transactions, linkedTo, seenIn }, index) => ({
        id,
        nonce,
        status: status as 'signed' | 'broadcast',
        sentAtMs: updatedAtMs,
        transactions,
        items: items[index] ?? [],
        ...(linkedTo !== null && { linkedTo }),
        ...(seenIn !== null && { seenIn }),
      }));
    },
    storeBatches: (lease, stored, isQueued, take) =>
      at('storeBatches', (nowMs) => {
        const row = leasedRow(lease);
        if (row === undefined || row.nextNonce !== stored[0]?.nonce) return false;
        if (!stored.flatMap(({ items }) => items).every(isQueued)) return false;
        for (const { nonce, signed } of stored) {
          requireFreeNonce(batchesOf(lease), nonce);
          requireUnknown(tables, signed.transactionId);
        }
        for (const { id, nonce, signed, items } of stored) {
          row.nextNonce += 1n;
          batches.set(id, {
            id,
            network: lease.network,
            relayer: lease.relayer,
            nonce,
            itemCount: items.length,
            status: 'signed',
            transactionId: signed.transactionId,
            blockNumber: null,
            blockHash: null,
            gasBooked: false,
            linkedTo: null,
            seenIn: null,
            updatedAtMs: nowMs,
            transactions: [{ transactionId: signed.transactionId, raw: signed.raw, signedAtMs: nowMs }],
          });
          for (const item of items) take(item, id);
        }
        return true;
      }),
    splitGasOf: ({ batch, mined }) => {
      const row = batches.get(mined.batchId);
      if (row === undefined || !isPendingBatch(row)) return undefined;
      const earlier = tables.losses.filter(({ batchId }) => batchId === batch.id);
      return splitGas(mined, batch.items, lostItems(row.itemCount, mined, earlier));
    },
    markMined: (lease, { batch, mined }, { lost }, nowMs) => {
      const { transactionId, blockNumber, blockHash } = mined;
      tables.losses.push(...bookLosses({ ...lease, batchId: batch.id, transactionId }, lost, { nowMs }));
      const block = { transactionId, blockNumber, blockHash, gasBooked: true, updatedAtMs: nowMs };
      const link = { linkedTo: transactionId, seenIn: null };
      Object.assign(batches.get(mined.batchId) ?? {}, { status: 'mined', ...block, ...link });
    },
  };
}

function linkBatch(
  tables: Tables,
  { id, items }: Pick<PendingBatch, 'id' | 'items'>,
  link: PaymentLink,
  nowMs: number,
): void {
  linkPayments(
    tables,
    items.filter(({ refund }) => refund === undefined).map((item) => ({ item, link, requestId: id })),
    nowMs,
  );
}

function shareOf({ relayers }: Tables, { network, address }: RelayerRow, nowMs: number): QueueShare | undefined {
  const sharing = [...relayers.values()]
    .filter((row) => row.network === network)
    .map(({ obstacleSinceMs, ...row }) => ({
      ...row,
      capped: false,
      obstacleMs: obstacleSinceMs === null ? null : nowMs - obstacleSinceMs,
    }));
  return queueShareOf(address, sharing);
}

/** As `batches_nonce` holds it. */
function requireFreeNonce(own: readonly BatchRow[], nonce: bigint): void {
  if (own.some((batch) => batch.nonce === nonce && batch.status !== 'replaced')) {
    throw new Error('duplicate key value violates unique constraint "batches_nonce"');
  }
}

function requireUnknown({ batches }: Tables, transactionId: string): void {
  for (const { transactions } of batches.values()) {
    if (transactions.some((known) => known.transactionId === transactionId)) {
      throw new Error('duplicate key value violates unique constraint "batch_transactions_pkey"');
    }
  }
}

function hasWork({ batches, settlements, stranded, refunds }: Tables, row: RelayerRow | undefined): boolean {
  if (row === undefined) return false;
  const { network, address, duty } = row;
  const isQueued = (one: { readonly network: string; readonly status: string }) =>
    one.network === network && one.status === 'queued';
  return laneHasWork({
    ...row,
    hasPendingBatch: [...batches.values()].some(
      (batch) => batch.network === network && batch.relayer === address && isPendingBatch(batch),
    ),
    // On the networks of the memory store every relayer can send every payment.
    hasBoundPayment: false,
    hasSharedItem:
      duty === 'settle'
        ? [...settlements.values(), ...refunds.values()].some(isQueued)
        : [...stranded.values()].some((one) => isQueued(one) && one.action !== 'hold'),
  });
}

/** Lanes with work that no process works on. They count as awake from now on. */
export function findForgottenLanes(tables: Tables, silentSinceMs: number): readonly Lane[] {
  const forgotten = [...tables.relayers.values()].filter(
    ({ status, awake, beatAtMs, ...row }) =>
      isUnattended({ status, awake, heartbeatAtMs: beatAtMs }, silentSinceMs) &&
      hasWork(tables, { status, awake, beatAtMs, ...row }),
  );
  for (const row of forgotten) row.awake = true;
  return forgotten.map(({ network, address }) => ({ network: network as NetworkId, relayer: address }));
}
