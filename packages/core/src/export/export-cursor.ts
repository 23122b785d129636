// The cursor of an export: where the next page begins and where the export ends. It has a code under the pepper, so that only
// cursors that the service gave to this account, mode and kind are taken.
import { timingSafeEqual } from 'node:crypto';
import { keyIndex } from '../account/key-index.ts';
import type { LedgerOwner, LedgerPosition } from './export-store.ts';

export type ExportCursor = {
  readonly after: LedgerPosition;
  /** Undefined: a new one is fixed, as when a finished export goes on later. */
  readonly watermark: bigint | undefined;
};

const CODE_BYTES = 16;
const EXPORT_FORM = /^(-?\d{1,19}):(\w{0,64}):(\d{1,19})?$/;
const ENTRY_FORM = /^\w{0,64}$/;

/** `of` names what the cursor belongs to: `export payments`, `statement 2026-11-16`. */
export function signCursor(pepper: Uint8Array, owner: LedgerOwner, of: string, text: string): string {
  return `${Buffer.from(text).toString('base64url')}.${Buffer.from(codeOf(pepper, owner, of, text)).toString('base64url')}`;
}

/** Undefined for a cursor that was not given for this. */
export function openCursor(pepper: Uint8Array, owner: LedgerOwner, of: string, cursor: string): string | undefined {
  const [body = '', code = '', ...rest] = cursor.split('.');
  if (rest.length > 0 || cursor.length > 512) return undefined;
  const text = Buffer.from(body, 'base64url').toString();
  const given = Buffer.from(code, 'base64url');
  const isOurs = given.length === CODE_BYTES && timingSafeEqual(given, codeOf(pepper, owner, of, text));
  return isOurs ? text : undefined;
}

/** No API key begins with the label, so no code is the index of a key. */
function codeOf(pepper: Uint8Array, { accountId, mode }: LedgerOwner, of: string, text: string): Uint8Array {
  return keyIndex(pepper, `cursor\n${mode}\n${accountId}\n${of}\n${text}`).subarray(0, CODE_BYTES);
}

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
