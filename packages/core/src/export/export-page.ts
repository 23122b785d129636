// One page of an export, and the cursor behind it.
import type { ExportCursor } from './export-cursor.ts';
import {
  type ExportRefusal,
  type ExportStore,
  LEDGER_START,
  type LedgerOwner,
  MAX_EXPORT_ROWS,
  type ReadBookings,
} from './export-store.ts';
import type { ExportKind } from './export-text.ts';

export type ReadExportPage = (Omit<ReadBookings, 'readTo'> & { readonly next: ExportCursor }) | ExportRefusal;

export type ExportAsk = LedgerOwner & {
  readonly kind: ExportKind;
  readonly cursor: ExportCursor | undefined;
  /** Most rows, 1 to `MAX_EXPORT_ROWS`. A page ends with a whole booking. */
  readonly limit: number;
};

export async function readExportPage(store: ExportStore, ask: ExportAsk): Promise<ReadExportPage> {
  const { accountId, mode, kind, cursor, limit } = ask;
  const page = await store.readBookings({
    accountId,
    mode,
    after: cursor?.after ?? LEDGER_START,
    watermark: cursor?.watermark,
    maxBookings: limit,
    maxEntries: kind === 'ledger' ? limit : MAX_EXPORT_ROWS,
    withMetadata: kind === 'payments',
  });
  if (!page.ok) return page;
  const { readTo, ...read } = page;
  // Never beyond what was read: after a crash PostgreSQL may hand out transaction ids below the watermark again, if nothing of
  // them was on disk. What was read was on disk, so every later id is above it.
  return { ...read, next: { after: readTo, watermark: page.hasMore ? page.watermark : undefined } };
}
