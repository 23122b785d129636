// The lane's side of the model store.
import {
  type Clock,
  type FoundBatch,
  type HeldLane,
  judgeItem,
  type Lane,
  type LaneItem,
  type LaneStore,
  laneKey,
  type QueueShare,
} from '@svc-pay/core';
import { newId } from '@svc-pay/protocol/ids';
import { type BatchRow, byNumber, isFlying, itemOf, type RelayerRow, type Statement, type Tables } from './tables.ts';
import { completions, failures, type SettledPart, writeEnds } from './write-ends.ts';

const OBSTACLE_COUNTS_AFTER_MS = 3_000;
const MINUTE_MS = 60_000;

export function createLaneModel(tables: Tables, statement: Statement, clock: Clock): LaneStore {
  const { batches, settlements } = tables;
  /** Time is the caller's: that of the call, not of its arrival. */
  const at = <Result>(name: string, deed: (nowMs: number) => Result): Promise<Result> => {
    const nowMs = clock.nowMs();
    return statement(name, () => deed(nowMs));
  };
  const rowOf = (lane: Lane): RelayerRow | undefined => tables.relayers.get(laneKey(lane));
  const heldRow = (held: HeldLane): RelayerRow | undefined => {
    const row = rowOf(held);
    return row?.epoch === held.epoch ? row : undefined;
  };
  const recordOne = (held: HeldLane, { batch, mined }: FoundBatch, nowMs: number): void => {
    const row = batches.get(mined.batchId);
    if (row === undefined || !isFlying(row)) return;
    const parts = batch.items.map((item, index) => ({ item, mined: mined.items[index] }));
    const settled = parts.filter((part): part is SettledPart => part.mined?.outcome === 'settled');
    writeEnds(tables, completions(tables, held, mined, settled, { requestId: batch.id, nowMs }), 'batched');
    const { transactionId, blockNumber, blockHash } = mined;
    Object.assign(row, { status: 'mined', transactionId, blockNumber, blockHash, updatedAtMs: nowMs });
    for (const { item, mined: part } of parts) {
      const settlement = settlements.get(item.paymentId);
      if (part?.outcome === 'settled' || settlement?.status !== 'batched') continue;
      settlement.status = 'mined';
      if (!mined.reverted) continue;
      settlement.batchLimit = Math.max(1, Math.floor(batch.items.length / 2));
      if (batch.items.length === 1) settlement.retryAtMs = nowMs + MINUTE_MS;
    }
  };
  const batchesOf = ({ network, relayer }: Lane): readonly BatchRow[] =>
    [...batches.values()].filter((batch) => batch.network === network && batch.relayer === relayer);
  const queueOf = ({ network }: Lane, { index, count }: QueueShare, nowMs: number) =>
    [...settlements.values()]
      .filter(
        ({ item, status, retryAtMs, ...row }) =>
          row.network === network &&
          status === 'queued' &&
          item.number % BigInt(count) === BigInt(index) &&
          (retryAtMs === null || retryAtMs <= nowMs),
      )
      .toSorted(byNumber);
  const statusOf = ({ paymentId }: LaneItem) => settlements.get(paymentId)?.status;

  const shareOf = ({ network, address }: RelayerRow, nowMs: number): QueueShare | undefined => {
    const able = [...tables.relayers.values()]
      .filter(
        (row) =>
          row.network === network &&
          row.condition === 'fine' &&
          (row.obstacle === null || (row.obstacleSinceMs ?? 0) > nowMs - OBSTACLE_COUNTS_AFTER_MS),
      )
      .map((row) => row.address)
      .toSorted();
    const index = able.indexOf(address);
    return index < 0 ? undefined : { index, count: able.length };
  };

  return {
    takeOver: (lane) =>
      at('takeOver', (nowMs) => {
        const row = rowOf(lane);
        if (row === undefined) throw new Error(`no relayer ${laneKey(lane)}`);
        Object.assign(row, { epoch: row.epoch + 1n, awake: true, beatAtMs: nowMs });
        return row.epoch;
      }),
    beat: (held) =>
      at('beat', (nowMs) => {
        const row = heldRow(held);
        if (row === undefined) return undefined;
        row.beatAtMs = nowMs;
        return { nextNonce: row.nextNonce, open: true, share: shareOf(row, nowMs), obstacle: row.obstacle };
      }),
    loadFlight: async (lane) => {
      const flying = await statement('loadFlight', () =>
        batchesOf(lane)
          .filter(isFlying)
          .toSorted((one, other) => (one.nonce < other.nonce ? -1 : 1))
          .map((batch) => ({ ...batch, transactions: [...batch.transactions] })),
      );
      if (flying.length === 0) return [];
      const items = await statement('loadFlight items', () => {
        const carried = [...settlements.values()].filter(({ status }) => status === 'batched' || status === 'mined');
        return flying.map(({ id }) =>
          carried
            .filter(({ batchId }) => batchId === id)
            .toSorted(byNumber)
            .map(itemOf),
        );
      });
      return flying.map(({ id, nonce, status, updatedAtMs, transactions }, index) => ({
        id,
        nonce,
        status: status as 'signed' | 'broadcast',
        sentAtMs: updatedAtMs,
        transactions,
        items: items[index] ?? [],
      }));
    },
    peekQueue: (lane, share, limit) =>
      at('peekQueue', (nowMs) => {
        const head = queueOf(lane, share, nowMs).slice(0, limit);
        const oldestAtMs = head.length === 0 ? 0 : Math.min(...head.map(({ createdAtMs }) => createdAtMs));
        return { count: head.length, oldestAtMs };
      }),
    loadQueue: (lane, share, limit) =>
      at('loadQueue', (nowMs) => queueOf(lane, share, nowMs).slice(0, limit).map(itemOf)),
    storeBatches: (held, stored) =>
      at('storeBatches', (nowMs) => {
        const row = heldRow(held);
        const items = stored.flatMap((batch) => batch.items);
        if (row === undefined || row.nextNonce !== stored[0]?.nonce) return false;
        if (items.some((item) => statusOf(item) !== 'queued')) return false;
        for (const batch of stored) {
          requireFreeNonce(batchesOf(held), batch.nonce);
          requireUnknown(tables, batch.signed.transactionId);
        }
        for (const { id, nonce, signed, items: own } of stored) {
          row.nextNonce += 1n;
          batches.set(id, {
            id,
            network: held.network,
            relayer: held.relayer,
            nonce,
            status: 'signed',
            transactionId: signed.transactionId,
            blockNumber: null,
            blockHash: null,
            updatedAtMs: nowMs,
            transactions: [{ transactionId: signed.transactionId, raw: signed.raw, signedAtMs: nowMs }],
          });
          for (const { paymentId } of own) {
            Object.assign(settlements.get(paymentId) ?? {}, { status: 'batched', relayer: held.relayer, batchId: id });
          }
        }
        return true;
      }),
    storeTransaction: (held, batchId, { transactionId, raw }) =>
      at('storeTransaction', (nowMs) => {
        const batch = batches.get(batchId);
        if (heldRow(held) === undefined || batch === undefined || !isFlying(batch)) return false;
        requireUnknown(tables, transactionId);
        batch.transactionId = transactionId;
        batch.transactions.push({ transactionId, raw, signedAtMs: nowMs });
        return true;
      }),
    markBroadcast: (held, batchIds) =>
      at('markBroadcast', (nowMs) => {
        if (heldRow(held) === undefined) return;
        for (const id of batchIds) {
          const batch = batches.get(id);
          if (batch !== undefined && isFlying(batch)) {
            Object.assign(batch, { status: 'broadcast', updatedAtMs: nowMs });
          }
        }
      }),
    recordMined: (held, found) =>
      at('recordMined', (nowMs) => {
        if (heldRow(held) === undefined) return false;
        for (const one of found) recordOne(held, one, nowMs);
        return true;
      }),
    recordUnsent: (held, unsent) =>
      at('recordUnsent', (nowMs) => {
        if (heldRow(held) === undefined) return false;
        const ending = (end: string) =>
          unsent.filter(({ outcome }) => judgeItem(outcome).end === end).map(({ item }) => item);
        const cause = { requestId: newId('batch', nowMs), nowMs };
        writeEnds(tables, failures(tables, ending('failed'), null, cause), 'queued');
        moveSettlements(tables, ending('held'), ['queued'], 'held');
        return true;
      }),
    recordReplaced: (held, batchId) =>
      at('recordReplaced', (nowMs) => {
        if (heldRow(held) === undefined) return false;
        const batch = batches.get(batchId);
        if (batch === undefined || !isFlying(batch)) return true;
        Object.assign(batch, { status: 'replaced', updatedAtMs: nowMs });
        const items = [...settlements.values()].filter((row) => row.batchId === batchId).map(itemOf);
        moveSettlements(tables, items, ['batched'], 'queued');
        return true;
      }),
    defer: (held, items, untilMs) =>
      statement('defer', () => {
        if (heldRow(held) === undefined) return;
        for (const { paymentId } of items) {
          const row = settlements.get(paymentId);
          if (row?.status === 'queued') row.retryAtMs = untilMs;
        }
      }),
    advanceNonce: (held, from, to) =>
      statement('advanceNonce', () => {
        const row = heldRow(held);
        const inTheWay = batchesOf(held).some(
          (batch) => isFlying(batch) || (batch.nonce >= from && batch.status !== 'replaced'),
        );
        if (row?.nextNonce === from && !inTheWay) row.nextNonce = to;
      }),
    noteObstacle: (held, obstacle) =>
      at('noteObstacle', (nowMs) => {
        const row = heldRow(held);
        if (row === undefined || row.obstacle === obstacle) return;
        Object.assign(row, { obstacle, obstacleSinceMs: obstacle === null ? null : nowMs });
      }),
    noteUnfit: (held, condition) =>
      statement('noteUnfit', () => {
        const row = heldRow(held);
        if (row !== undefined) row.condition = condition;
      }),
    fallAsleep: async (held) => {
      const set = (awake: boolean) => () => {
        const row = heldRow(held);
        if (row !== undefined) row.awake = awake;
      };
      await statement('sleep', set(false));
      if (!(await statement('hasWork', () => hasWork(tables, rowOf(held))))) return true;
      await statement('wake', set(true));
      return false;
    },
  };
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

export function hasWork({ batches, settlements }: Tables, row: RelayerRow | undefined): boolean {
  if (row === undefined) return false;
  const own = ({ network, relayer }: BatchRow) => network === row.network && relayer === row.address;
  if ([...batches.values()].some((batch) => own(batch) && isFlying(batch))) return true;
  if (row.obstacle !== null) return true;
  return [...settlements.values()].some(({ network, status }) => network === row.network && status === 'queued');
}

/** What waits again belongs to no lane and no batch. */
export function moveSettlements(
  { settlements }: Tables,
  items: readonly LaneItem[],
  from: readonly string[],
  to: 'queued' | 'held',
): void {
  for (const { paymentId } of items) {
    const row = settlements.get(paymentId);
    if (row === undefined || !from.includes(row.status)) continue;
    row.status = to;
    if (to === 'queued') Object.assign(row, { relayer: null, batchId: null });
  }
}
