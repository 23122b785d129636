// The tables of the chain reader in memory. Keys begin with the network.
import type { FinalLog, MoneyLog, OfferedSource, ReaderCursor } from '../index.ts';

export type MemoryReaderTables = {
  readonly offeredSources: Map<string, OfferedSource>;
  readonly readerCursors: Map<string, ReaderCursor>;
  /** Remembered blocks, by number. */
  readonly readerBlocks: Map<string, ReaderCursor['at']>;
  readonly readLogs: Map<string, MoneyLog>;
  /** Since when a read log waits, with the hash of its block. */
  readonly waitingLogs: Map<string, { readonly blockHash: string; readonly sinceMs: number }>;
  /** One log proves one thing. */
  readonly logProofs: Map<string, FinalLog>;
};

export function createReaderTables(): MemoryReaderTables {
  return {
    offeredSources: new Map(),
    readerCursors: new Map(),
    readerBlocks: new Map(),
    readLogs: new Map(),
    waitingLogs: new Map(),
    logProofs: new Map(),
  };
}

/** The key of a row of the network. */
export const ofNetwork = (network: string, key: bigint | string): string => `${network} ${key}`;

export function rowsOfNetwork<Row>(table: ReadonlyMap<string, Row>, network: string): readonly Row[] {
  return [...table].flatMap(([key, row]) => (key.startsWith(`${network} `) ? [row] : []));
}
