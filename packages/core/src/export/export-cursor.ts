// What the cursor of an export says: where the next page begins and where the export ends.
import type { LedgerPosition } from './export-store.ts';

export type ExportCursor = {
  readonly after: LedgerPosition;
  /** Undefined: a new one is fixed, as when a finished export goes on later. */
  readonly watermark: bigint | undefined;
};

const EXPORT_FORM = /^(-?\d{1,19}):(\w{0,64}):(\d{1,19})?$/;
const ENTRY_FORM = /^\w{0,64}$/;

export function printExportCursor({ after: { position, bookingId }, watermark }: ExportCursor): string {
  return `${position}:${bookingId}:${watermark ?? ''}`;
}

export function readExportCursor(text: string): ExportCursor | undefined {
  const [, position, bookingId, watermark] = EXPORT_FORM.exec(text) ?? [];
  if (position === undefined || bookingId === undefined) return undefined;
  return {
    after: { position: BigInt(position), bookingId },
    watermark: watermark === undefined ? undefined : BigInt(watermark),
  };
}

export const isEntryCursor = (text: string): boolean => ENTRY_FORM.test(text);
