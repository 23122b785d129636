// A page of an export, read in pieces: each is a short transaction, and behind each the process rests for as long as the piece
// took. Settlements have the database and the event loop meanwhile; `npm run bench -- export` measures them.
import {
  EXPORT_PIECE_ROWS,
  type ExportAsk,
  type ExportedBooking,
  type ExportRefusal,
  MAX_METADATA_BYTES,
  type ReadExportPage,
  readExportPage,
  restAfter,
} from '@svc-pay/core';
import type { ApiPorts } from '../../ports.ts';

export type PageInPieces =
  | (Omit<Extract<ReadExportPage, { readonly ok: true }>, 'bookings' | 'readMs'> & { readonly text: string })
  | ExportRefusal;

/** Clients wait 30 seconds for an answer: a page that they throw away would be asked for again, and never end. */
const MOST_MS = 5_000;

/**
 * The page ends early where a later piece is refused, after five seconds, and where its text is as long as the metadata of a page
 * may be.
 */
export async function readInPieces(
  { exports, pause }: Pick<ApiPorts, 'exports' | 'pause'>,
  ask: ExportAsk,
  textOf: (bookings: readonly ExportedBooking[]) => Promise<string>,
): Promise<PageInPieces> {
  let page: PageInPieces | undefined;
  const pageBeganMs = performance.now();
  for (let left = ask.limit; ; ) {
    const beganMs = performance.now();
    const cursor = page?.ok === true ? page.next : ask.cursor;
    const piece = await readExportPage(exports, { ...ask, cursor, limit: Math.min(left, EXPORT_PIECE_ROWS) });
    if (!piece.ok) return page ?? piece;
    const { bookings, readMs, ...read } = piece;
    const isReadMs = performance.now();
    const text: string = `${page?.ok === true ? page.text : ''}${await textOf(bookings)}`;
    page = { ...read, text };
    left -= bookings.reduce((rows, { entries }) => rows + (ask.kind === 'ledger' ? entries.length : 1), 0);
    // A page never has more rows than were asked for, so the last piece is a whole one.
    if (!piece.hasMore || left < EXPORT_PIECE_ROWS || text.length >= MAX_METADATA_BYTES) return page;
    // A piece also waits for its turn among other exports. Such a wait takes nothing from settlements and needs no rest.
    const nowMs = performance.now();
    const restMs = restAfter(readMs + nowMs - isReadMs);
    if (nowMs - pageBeganMs + restMs + (nowMs - beganMs) > MOST_MS) return page;
    await pause(restMs);
  }
}
