// Reads of the ledger in commit order, one short transaction each.
import type { NetworkId } from '@svc-pay/protocol';
import type { Mode } from '../account/mode.ts';
import type { LedgerAccount } from '../ledger/ledger-entry.ts';

/** Whose ledger is read. */
export type LedgerOwner = { readonly accountId: string; readonly mode: Mode };

/** Behind this booking a page begins. */
export type LedgerPosition = { readonly position: bigint; readonly bookingId: string };

export const LEDGER_START: LedgerPosition = { position: -1n, bookingId: '' };

/** An entry as it is exported. */
export type BookingEntry = {
  readonly id: string;
  readonly asset: string;
  readonly accountName: LedgerAccount;
  readonly party: string;
  readonly amountAtomic: bigint;
  readonly transactionId: string;
  readonly logIndex: number;
  readonly reverses: string | null;
  readonly createdAtMs: number;
};

/** What one statement booked of one payment. */
export type ExportedBooking = {
  readonly id: string;
  readonly position: bigint;
  readonly network: NetworkId;
  readonly payment: {
    readonly id: string;
    readonly intentId: string;
    /** The payment's token, also for entries of gas. */
    readonly asset: string;
    /** Null where the payer was erased. */
    readonly payer: string | null;
  };
  /** The merchant's own, as stored; null where the intent is no longer kept, and where it was not asked for. */
  readonly metadata: string | null;
  /** Of the batch that is recorded for the payment now. */
  readonly sent: { readonly transactionId: string; readonly blockNumber: bigint } | null;
  readonly entries: readonly BookingEntry[];
};

export type ExportOrder = LedgerOwner & {
  readonly after: LedgerPosition;
  /** Bookings at or above it are not read. Undefined: as far as everything is committed now. */
  readonly watermark: bigint | undefined;
  /** Most bookings of the page. */
  readonly maxBookings: number;
  /** Most entries of the page; a first booking with more is given whole. */
  readonly maxEntries: number;
  /** Read the intents' metadata. A page ends at `MAX_METADATA_BYTES` of it. */
  readonly withMetadata: boolean;
};

export type ReadBookings = {
  readonly ok: true;
  /** None of those whose entries are no longer kept. */
  readonly bookings: readonly ExportedBooking[];
  readonly watermark: bigint;
  /** The last booking that was read or passed over; `after` if there was none. */
  readonly readTo: LedgerPosition;
  /** Bookings below the watermark are left. */
  readonly hasMore: boolean;
  /** How long the statements took, without the wait for a turn or for a connection. */
  readonly readMs: number;
};

/** `busy`: another page of the account is being read. `restarted`: the database runs in another cluster than before. */
export type ExportRefusal = { readonly ok: false; readonly reason: 'busy' | 'restarted' };

export type ExportPage = ReadBookings | ExportRefusal;

export type DayOrder = LedgerOwner & {
  readonly fromMs: number;
  readonly toMs: number;
  /** Id of the last entry of the part before; empty at the beginning. */
  readonly afterId: string;
};

/** Sums of a part of a day, by token, account and whether they are reversals. */
export type DaySum = {
  readonly network: string;
  /** The payment's token. */
  readonly asset: string;
  readonly accountName: LedgerAccount;
  readonly isGas: boolean;
  readonly isReversal: boolean;
  readonly amountAtomic: bigint;
  /** The part of `amountAtomic` that was added. */
  readonly addedAtomic: bigint;
  /** Entries that add to their account, and entries that take from it. */
  readonly added: number;
  readonly taken: number;
};

export type DayPart =
  | {
      readonly ok: true;
      readonly sums: readonly DaySum[];
      readonly lastId: string | undefined;
      readonly hasMore: boolean;
    }
  | { readonly ok: false; readonly reason: 'busy' };

export type ExportStore = {
  readonly readBookings: (order: ExportOrder) => Promise<ExportPage>;
  readonly sumDay: (order: DayOrder) => Promise<DayPart>;
  /** False if a transaction that began before is still running after `waitMs`. */
  readonly allCommitted: (waitMs: number) => Promise<boolean>;
};

/** Most rows of a page, and most entries that one transaction reads. */
export const MAX_EXPORT_ROWS = 5_000;
/** Rows that an export reads at once: those of a whole page would keep a core from settlements for a second. */
export const EXPORT_PIECE_ROWS = 500;
const MAX_REST_MS = 2_000;
/** How long an export rests after a piece that took so long: at most half of a core is spent on it. */
export const restAfter = (tookMs: number): number => Math.min(tookMs, MAX_REST_MS);
/** Most metadata of one page; a first booking with more is given whole. */
export const MAX_METADATA_BYTES = 2_097_152;
