// The tables of the model store. It is a fake of packages/postgres, held to the real one by model.postgres.test.ts: the
// same calls get the same answers. One statement, or one transaction, is one synchronous action that happens whole or not.
import type {
  EventDraft,
  GasLoss,
  Intent,
  LaneItem,
  LaneObstacle,
  LedgerEntry,
  Mode,
  StoredPayment,
} from '../index.ts';
import { createDeliveryTables, type MemoryDeliveryTables } from './memory-delivery-tables.ts';

export type RelayerRow = {
  readonly network: string;
  readonly address: string;
  nextNonce: bigint;
  epoch: bigint;
  awake: boolean;
  beatAtMs: number | null;
  condition: 'fine' | 'empty' | 'not_allowed';
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
  updatedAtMs: number;
  readonly transactions: { readonly transactionId: string; readonly raw: Uint8Array; readonly signedAtMs: number }[];
};

export type SettlementRow = {
  /** Without its batch limit, which is this row's. */
  readonly item: LaneItem;
  readonly network: string;
  readonly createdAtMs: number;
  status: 'queued' | 'batched' | 'mined' | 'held' | 'completed' | 'failed';
  relayer: string | null;
  batchId: string | null;
  batchLimit: number | null;
  retryAtMs: number | null;
  /** Batches that carried it and reverted as a whole. */
  readonly revertedBatches: string[];
};

export type IntentRow = { intent: Intent; paymentId: string | null; version: number; eventSequence: number };

type EventRow = EventDraft & { readonly accountId: string; readonly mode: Mode; readonly body: Uint8Array };

export type Tables = MemoryDeliveryTables & {
  readonly relayers: Map<string, RelayerRow>;
  readonly batches: Map<string, BatchRow>;
  /** By payment. */
  readonly settlements: Map<string, SettlementRow>;
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
    intents: new Map(),
    payments: new Map(),
    entries: [],
    losses: [],
    events: new Map(),
    ...createDeliveryTables(),
  };
}

export const isPendingBatch = ({ status }: BatchRow) => status === 'signed' || status === 'broadcast';

export const itemOf = ({ item, batchLimit }: SettlementRow): LaneItem =>
  batchLimit === null ? item : { ...item, batchLimit };

export const byNumber = (one: SettlementRow, other: SettlementRow) => (one.item.number < other.item.number ? -1 : 1);
