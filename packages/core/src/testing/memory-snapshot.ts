// A backup of the tables of payments, lanes and the chain reader, and the way back to it. Events and deliveries are left as they are.
import type { Tables } from './memory-tables.ts';

const BACKED_UP = [
  'relayers',
  'batches',
  'settlements',
  'authorizations',
  'stranded',
  'refunds',
  'askedRefunds',
  'refundTotals',
  'intents',
  'payments',
  'entries',
  'losses',
  'readerCursors',
  'readerBlocks',
  'readLogs',
  'logProofs',
  'refused',
  'unsubmitted',
  'proofs',
  'heldForMerchant',
  'logsRead',
  'icrcCursors',
  'icrcTransfers',
] as const satisfies readonly (keyof Tables)[];

/** Answers how to set the tables back, in place. */
export function takeSnapshot(tables: Tables): () => void {
  const copies = BACKED_UP.map((name) => structuredClone(tables[name]) as unknown);
  return () => {
    for (const [index, name] of BACKED_UP.entries()) {
      const [table, copy] = [tables[name] as unknown, copies[index]];
      if (table instanceof Map && copy instanceof Map) {
        table.clear();
        for (const [key, row] of copy) table.set(key, row);
      } else if (Array.isArray(table) && Array.isArray(copy)) table.splice(0, table.length, ...(copy as unknown[]));
    }
  };
}
