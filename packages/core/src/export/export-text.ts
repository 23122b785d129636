// Exports as text: CSV by RFC 4180, or a line of JSON for each row. Both have the same fields in the same order.
import type { ExportedEntry, ExportedPayment } from '@svc-pay/protocol/merchant';
import type { ExportedBooking } from './export-store.ts';
import { ledgerRows, paymentRows } from './exported-rows.ts';

export const EXPORT_KINDS = ['payments', 'ledger'] as const;
export type ExportKind = (typeof EXPORT_KINDS)[number];
export const EXPORT_FORMATS = ['csv', 'jsonl'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

type Cell = string | number | boolean | null;

const PAYMENT_COLUMNS: readonly (keyof ExportedPayment)[] = [
  'paymentId',
  'paymentIntentId',
  'bookingId',
  'bookedAt',
  'kind',
  'reversal',
  'chain',
  'tokenShortcode',
  'asset',
  'decimals',
  'payer',
  'gross',
  'fee',
  'splits',
  'refund',
  'escrow',
  'net',
  'gas',
  'gasToken',
  'transactionId',
  'block',
  'metadata',
];
const LEDGER_COLUMNS: readonly (keyof ExportedEntry)[] = [
  'entryId',
  'bookingId',
  'paymentId',
  'paymentIntentId',
  'bookedAt',
  'chain',
  'tokenShortcode',
  'asset',
  'decimals',
  'account',
  'party',
  'amount',
  'transactionId',
  'logIndex',
  'block',
  'reverses',
];

export const EXPORT_COLUMNS: Readonly<Record<ExportKind, readonly string[]>> = {
  payments: PAYMENT_COLUMNS,
  ledger: LEDGER_COLUMNS,
};

/** The first line of a CSV file; nothing for JSON lines. */
export const exportHead = (kind: ExportKind, format: ExportFormat): string =>
  format === 'csv' ? csvLine(EXPORT_COLUMNS[kind]) : '';

export function exportLines(kind: ExportKind, format: ExportFormat, booking: ExportedBooking): string {
  const rows: readonly object[] = kind === 'payments' ? paymentRows(booking) : ledgerRows(booking);
  if (format === 'jsonl') return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  const columns = EXPORT_COLUMNS[kind];
  return rows
    .map((row) => csvLine(columns.map((column) => cellOf(column, (row as Readonly<Record<string, Cell>>)[column]))))
    .join('');
}

/**
 * Spreadsheets of many countries split a line at `;`, and quotes do not protect a cell that begins inside a field: a formula
 * behind a semicolon of somebody's metadata would be one. JSON has semicolons inside strings only, where `\u003b` is the same.
 */
const cellOf = (column: string, cell: Cell | undefined): Cell =>
  column === 'metadata' && typeof cell === 'string' ? cell.replaceAll(';', String.raw`\u003b`) : (cell ?? null);

const NUMBER = /^-?\d+(?:\.\d+)?$/;
/** A spreadsheet takes a cell that begins so for a formula. */
const FORMULA = /^\s*[=+\-@|%]|^[\t\r\n]/;

/** A number is no formula, also a negative one: it stays as it is, so that columns add up. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: Cell): string {
  const text = cell === null ? '' : String(cell);
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}
