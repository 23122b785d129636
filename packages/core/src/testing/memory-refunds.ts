// Refunds in memory, as lanes carry them. The database port of refunds decides what becomes of them.
import { newId } from '@svc-pay/protocol/ids';
import {
  type FoundBatch,
  type Lane,
  type LaneItem,
  type QueueShare,
  refuseRefund,
  type UnsentOutcome,
} from '../index.ts';
import type { AskedRefundRow } from './memory-refund-tables.ts';
import type { RefundRow, SettlementRow, Tables } from './memory-tables.ts';

/** A refund of the whole payment, signed by its merchant and queued. */
export function queueRefund(tables: Tables, { item, network }: SettlementRow, nowMs: number): RefundRow {
  const id = newId('refund', nowMs);
  const number = BigInt(tables.refunds.size + 1);
  const row = laneRow(network, {
    ...item,
    number,
    processor: item.payer,
    payer: item.payout.merchant,
    capAtomic: item.settledAtomic,
    nonce: `0x737663726566${number.toString(16).padStart(52, '0')}`,
    payout: { id: 0n, merchant: item.payer, feeBps: 0, splits: [] },
    confirmations: 1,
    refund: { id },
  });
  tables.refunds.set(id, row);
  return row;
}

/** The signed refund is in the queue of lanes. */
export function addLaneRefund(tables: Tables, { refund, number, signature, byContract }: AskedRefundRow): void {
  const settlement = tables.settlements.get(refund.paymentId);
  const { amountAtomic, nonce, validAfterSeconds, validBeforeSeconds, recipient, wallet, id } = refund;
  if (settlement === undefined || amountAtomic === null || nonce === null || signature === null)
    throw new Error(`refund ${id} is not signed`);
  const item: LaneItem = {
    ...settlement.item,
    number,
    processor: recipient,
    payer: wallet,
    capAtomic: amountAtomic,
    settledAtomic: amountAtomic,
    validAfterSeconds: validAfterSeconds ?? 0n,
    validBeforeSeconds: validBeforeSeconds ?? 0n,
    nonce,
    signature,
    byContract,
    payout: { id: 0n, merchant: recipient, feeBps: 0, splits: [] },
    confirmations: 1,
    refund: { id },
  };
  tables.refunds.set(id, laneRow(settlement.network, item));
}

function laneRow(network: string, item: LaneItem): RefundRow {
  return {
    item,
    network,
    status: 'queued',
    relayer: null,
    batchId: null,
    retryAtMs: null,
    refusals: 0,
    refusal: null,
    transactionId: null,
  };
}

export const refundOf = ({ refunds }: Tables, { refund }: LaneItem): RefundRow | undefined =>
  refund && refunds.get(refund.id);

export function refundsOfBatch({ refunds }: Tables, id: string): readonly LaneItem[] {
  return [...refunds.values()].filter(({ batchId }) => batchId === id).map(({ item }) => item);
}

export function refundQueueOf(
  { refunds }: Tables,
  { network }: Lane,
  { index, count }: QueueShare,
  nowMs: number,
  busyWallets: readonly string[] = [],
): readonly LaneItem[] {
  const queued = [...refunds.values()]
    .filter(
      ({ status, item, retryAtMs, ...row }) =>
        row.network === network &&
        status === 'queued' &&
        item.number % BigInt(count) === BigInt(index) &&
        !(item.byContract && busyWallets.includes(item.payer)) &&
        (retryAtMs === null || retryAtMs <= nowMs),
    )
    .toSorted((one, other) => dueAt(one) - dueAt(other) || (one.item.number < other.item.number ? -1 : 1))
    .map(({ item }) => item);
  return [...Map.groupBy(queued, ({ accountId }) => accountId).values()].flatMap(([first]) => first ?? []);
}

const dueAt = ({ retryAtMs }: RefundRow): number => retryAtMs ?? 0;

/** The refund of the batch names the transaction. */
export function linkRefunds(tables: Tables, items: readonly LaneItem[], transactionId: string): void {
  for (const item of items) {
    const row = refundOf(tables, item);
    if (row?.status === 'sent') row.transactionId = transactionId;
  }
}

/** The batch can never move the money of its refund. */
export function leaveBatch(row: RefundRow): void {
  if (row.status === 'sent')
    Object.assign(row, { status: 'queued', relayer: null, batchId: null, transactionId: null });
}

/** The refund of a mined batch waits for finality, or is queued again. */
export function recordMinedRefund(tables: Tables, { batch, mined }: FoundBatch, nowMs: number): void {
  for (const [index, item] of batch.items.entries()) {
    const row = refundOf(tables, item);
    const outcome = mined.items[index]?.outcome;
    if (row?.status !== 'sent' || outcome === undefined) continue;
    row.transactionId = mined.transactionId;
    if (outcome === 'settled') continue;
    leaveBatch(row);
    refuse(row, outcome, nowMs);
  }
}

export function refuseQueued(tables: Tables, item: LaneItem, outcome: UnsentOutcome, nowMs: number): void {
  const row = refundOf(tables, item);
  if (row?.status === 'queued') refuse(row, outcome, nowMs);
}

function refuse(row: RefundRow, outcome: UnsentOutcome, nowMs: number): void {
  Object.assign(row, { ...refuseRefund(outcome, row.refusals, nowMs), refusals: row.refusals + 1 });
}
