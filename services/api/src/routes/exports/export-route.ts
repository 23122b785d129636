// A page of an export as a file would have it: CSV or JSON lines, with the cursor of the next page in the headers.
import { setImmediate } from 'node:timers/promises';
import {
  type ExportCursor,
  type ExportedBooking,
  type ExportFormat,
  type ExportKind,
  exportHead,
  exportLines,
  type LedgerOwner,
  openCursor,
  printExportCursor,
  readExportCursor,
  signCursor,
} from '@svc-pay/core';
import {
  DEFAULT_EXPORT_PAGE,
  EXPORT_CURSOR_HEADER,
  EXPORT_MORE_HEADER,
  EXPORT_WATERMARK_HEADER,
  exportQuery,
  JSON_LINES,
} from '@svc-pay/protocol/merchant';
import type { ApiPorts } from '../../ports.ts';
import type { RouteOutcome } from '../outcome.ts';
import type { KeyedRoute } from '../route.ts';
import { readInPieces } from './read-in-pieces.ts';

const CONTENT_TYPES = {
  csv: 'text/csv; charset=utf-8; header=present',
  jsonl: `${JSON_LINES}; charset=utf-8`,
} as const;
/** Settlements are answered between two slices. */
const SLICE = 100;
/** A client that takes nothing for so long is left. */
const SEND_TIMEOUT_MS = 60_000;
export const BUSY: RouteOutcome = { ok: false, code: 'export_busy', param: null, headers: { 'retry-after': '1' } };

type Named = Pick<KeyedRoute, 'operationId' | 'path' | 'summary' | 'description'> & { readonly kind: ExportKind };

export function exportRoute({ kind, ...named }: Named): KeyedRoute {
  return {
    ...named,
    method: 'GET',
    access: 'secret',
    scope: 'read',
    quota: 'exports',
    query: exportQuery,
    responses: { 200: { description: 'A page of the export', contentType: 'text/csv' } },
    refusals: ['cursor_invalid', 'export_busy', 'export_unavailable'],
    async handle({ ports }, { caller, query }) {
      const { format = 'csv', limit, cursor: given } = exportQuery.parse(query);
      const of = `export ${kind}`;
      const opened = given === undefined ? undefined : openCursor(ports.peppers, caller, of, given);
      const cursor = opened === undefined ? undefined : readExportCursor(opened);
      if (given !== undefined && cursor === undefined) return { ok: false, code: 'cursor_invalid', param: 'cursor' };
      const sent = ports.unsentPages.take(caller.accountId);
      if (sent === undefined) return BUSY;
      let outcome: RouteOutcome | undefined;
      try {
        outcome = await answerPage(ports, caller, {
          kind,
          format,
          of,
          cursor,
          isFirst: given === undefined,
          limit: limit === undefined ? DEFAULT_EXPORT_PAGE : Number.parseInt(limit, 10),
          answered: sent,
        });
        return outcome;
      } finally {
        // A page that is answered gives its place back when its bytes are sent.
        if (outcome?.ok !== true) sent();
      }
    },
  };
}

type PageAsk = {
  readonly kind: ExportKind;
  readonly format: ExportFormat;
  readonly of: string;
  readonly cursor: ExportCursor | undefined;
  readonly isFirst: boolean;
  readonly limit: number;
  readonly answered: () => void;
};

async function answerPage(
  ports: ApiPorts,
  caller: LedgerOwner,
  { kind, format, of, cursor, isFirst, limit, answered }: PageAsk,
): Promise<RouteOutcome> {
  const { accountId, mode } = caller;
  const ask = { accountId, mode, kind, cursor, limit };
  const page = await readInPieces(ports, ask, (bookings) => textOf(kind, format, bookings));
  if (!page.ok) return page.reason === 'busy' ? BUSY : { ok: false, code: 'export_unavailable', param: null };
  const headers = {
    'cache-control': 'no-store',
    'content-type': CONTENT_TYPES[format],
    'content-disposition': `attachment; filename="${kind}.${format}"`,
    [EXPORT_CURSOR_HEADER]: signCursor(ports.peppers[0], caller, of, printExportCursor(page.next)),
    [EXPORT_MORE_HEADER]: String(page.hasMore),
    [EXPORT_WATERMARK_HEADER]: page.watermark.toString(),
  };
  // Pages behind the first have no head, so that a file is its pages one after the other.
  const head = isFirst ? exportHead(kind, format) : '';
  const body = `${head}${page.text}`;
  return {
    ok: true,
    replayed: false,
    answer: { status: 200, headers, body },
    answered,
    sendTimeoutMs: SEND_TIMEOUT_MS,
  };
}

async function textOf(kind: ExportKind, format: ExportFormat, bookings: readonly ExportedBooking[]): Promise<string> {
  const slices: string[] = [];
  for (let from = 0; from < bookings.length; from += SLICE) {
    if (from > 0) await setImmediate();
    const slice = bookings.slice(from, from + SLICE);
    slices.push(slice.map((booking) => exportLines(kind, format, booking)).join(''));
  }
  return slices.join('');
}
