// The tables of the memory store. It answers as packages/postgres does: both run the same contract suites. One statement,
// or one transaction, is one synchronous action that happens whole or not.

import type {
  AuthorizationKind,
  EventDraft,
  GasLoss,
  Intent,
  LaneItem,
  LaneObstacle,
  LedgerEntry,
  Mode,
  RelayerCondition,
  RelayerDuty,
  RelayerStatus,
  StoredPayment,
  Stranding,
} from '../index.ts';
import { createDeliveryTables, type MemoryDeliveryTables } from './memory-delivery-tables.ts';
import { createDirectTables, type MemoryDirectTables } from './memory-direct-tables.ts';
import { createIcrcTables, type MemoryIcrcTables } from './memory-icrc-tables.ts';
import { createReaderTables, type MemoryReaderTables } from './memory-reader-tables.ts';
import { createRefundTables, type MemoryRefundTables } from './memory-refund-tables.ts';

export type RelayerRow = {
  readonly network: string;
  readonly address: string;
  readonly duty: RelayerDuty;
  status: RelayerStatus;
  nextNonce: bigint;
  epoch: bigint;
  awake: boolean;
  beatAtMs: number | null;
  condition: RelayerCondition;
  obstacle: LaneObstacle | null;
  obstacleSinceMs: number | null;
};

export type BatchRow = {
  readonly id: string;
  readonly network: string;
  readonly relayer: string;
  readonly nonce: bigint;
  readonly itemCount: number;
  status: 'signed' | 'broadcast' | 'mined' | 'finalized' | 'replaced';
  transactionId: string;
  blockNumber: bigint | null;
  blockHash: string | null;
  gasBooked: boolean;
  linkedTo: string | null;
  seenIn: string | null;
  updatedAtMs: number;
  readonly transactions: { readonly transactionId: string; readonly raw: Uint8Array; readonly signedAtMs: number }[];
};

export type SettlementRow = {
  /** Without its batch limit, which is this row's. */
  readonly item: LaneItem;
  /** Of its authorization, as hex. */
  readonly claimKey: string;
  readonly network: string;
  readonly createdAtMs: number;
  status: 'queued' | 'batched' | 'mined' | 'held' | 'completed' | 'failed' | 'canceled';
  relayer: string | null;
  batchId: string | null;
  batchLimit: number | null;
  retryAtMs: number | null;
  /** Why the chain refused a direct payment last. */
  refusal: string | null;
  /** Batches that carried it and reverted as a whole. */
  readonly revertedBatches: string[];
};

/** A signed authorization with its claim. */
export type AuthorizationRow = {
  readonly accountId: LaneItem['accountId'];
  readonly mode: Mode;
  readonly intentId: LaneItem['intentId'];
  readonly network: string;
  readonly claimKey: Uint8Array;
  readonly kind: AuthorizationKind;
  readonly asset: string;
  readonly processor: string;
  readonly payer: string;
  readonly capAtomic: bigint;
  readonly nonce: string;
  readonly signature: string;
  readonly validBeforeSeconds: bigint;
  readonly payout: LaneItem['payout'];
  readonly createdAtMs: number;
  /** Set for an authorization that pays the merchant's wallet. */
  readonly direct?: { readonly bound: boolean; readonly unusedAtBlock: bigint | null };
  closedAtMs: number | null;
  /** The payment that claimed it; null while an up-to authorization has none. */
  paymentId: string | null;
};

export type StrandedRow = {
  readonly number: bigint;
  readonly accountId: LaneItem['accountId'];
  readonly mode: Mode;
  readonly claimKey: string;
  readonly intentId: LaneItem['intentId'];
  readonly network: string;
  readonly position: Stranding;
  readonly createdAtMs: number;
  paymentId: string | null;
  action: 'hold' | 'settle' | 'return';
  status: 'queued' | 'batched' | 'mined' | 'done' | 'blocked';
  reason: string | null;
  relayer: string | null;
  batchId: string | null;
};

/** A signed refund in a lane. */
export type RefundRow = {
  readonly item: LaneItem;
  readonly network: string;
  status: 'queued' | 'sent' | 'completed' | 'failed';
  relayer: string | null;
  batchId: string | null;
  retryAtMs: number | null;
  /** How often the chain refused it, and why last. */
  refusals: number;
  refusal: string | null;
  transactionId: string | null;
};

export type IntentRow = { intent: Intent; paymentId: string | null; version: number; eventSequence: number };

type EventRow = EventDraft & { readonly accountId: string; readonly mode: Mode; readonly body: Uint8Array };

export type Tables = MemoryDeliveryTables &
  MemoryReaderTables &
  MemoryDirectTables &
  MemoryRefundTables &
  MemoryIcrcTables & {
    readonly relayers: Map<string, RelayerRow>;
    readonly batches: Map<string, BatchRow>;
    /** By payment. */
    readonly settlements: Map<string, SettlementRow>;
    /** By claim key, as hex. */
    readonly authorizations: Map<string, AuthorizationRow>;
    /** By claim key, as hex. */
    readonly stranded: Map<string, StrandedRow>;
    readonly refunds: Map<string, RefundRow>;
    readonly intents: Map<string, IntentRow>;
    readonly payments: Map<string, StoredPayment>;
    readonly entries: LedgerEntry[];
    readonly losses: GasLoss[];
    readonly events: Map<string, EventRow>;
  };

/** Sends an action to the store: where a simulation delays it, cuts it off, or loses its answer. */
export type Statement = <Result>(name: string, action: () => Result) => Promise<Result>;

export function createTables(): Tables {
  return {
    relayers: new Map(),
    batches: new Map(),
    settlements: new Map(),
    authorizations: new Map(),
    stranded: new Map(),
    refunds: new Map(),
    intents: new Map(),
    payments: new Map(),
    entries: [],
    losses: [],
    events: new Map(),
    ...createDeliveryTables(),
    ...createReaderTables(),
    ...createDirectTables(),
    ...createRefundTables(),
    ...createIcrcTables(),
  };
}

export const isPendingBatch = ({ status }: BatchRow) => status === 'signed' || status === 'broadcast';

export const itemOf = ({ item, batchLimit }: SettlementRow): LaneItem =>
  batchLimit === null ? item : { ...item, batchLimit };

export const byNumber = (one: SettlementRow, other: SettlementRow) => (one.item.number < other.item.number ? -1 : 1);

export const hexKey = (claimKey: Uint8Array): string => Buffer.from(claimKey).toString('hex');

/** The transfer as an item of the lane that settles or returns it. */
export function strandedItemOf({ settlements }: Tables, row: StrandedRow): LaneItem {
  const settlement = settlements.get(row.paymentId ?? '');
  if (settlement === undefined || row.action === 'hold')
    throw new Error(`no payment of stranded transfer ${row.number}`);
  const { action, position, number } = row;
  return { ...itemOf(settlement), number, strandedTransfer: { action, ...position } };
}
