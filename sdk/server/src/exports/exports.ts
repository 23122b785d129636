// Exports of payments and ledger, page by page along the order in which they were committed, and the statement of a day.
import type { ExportedEntry, ExportedPayment, StatementLine, StatementPart } from '@svc-pay/protocol/merchant';
import type { CallFailure } from '../call/call-failure.ts';
import type { CallOptions, Connection } from '../call/connection.ts';
import { withQuery } from '../call/path.ts';
import { withFields } from '../call/read-answer.ts';
import { orThrow } from '../call/svc-pay-error.ts';
import { addLines } from './add-lines.ts';

export type ExportedPage<Row> = {
  readonly ok: true;
  readonly rows: readonly Row[];
  /** Where the next page begins. Keep it when `rows` are stored: an export goes on from it after a crash. */
  readonly cursor: string;
  /** False at the end. The cursor then begins a later export behind this one. */
  readonly hasMore: boolean;
};

export type ExportPageQuery = {
  /** Most rows, 1 to 5,000; 1,000 when left out. */
  readonly limit?: number;
  readonly cursor?: string;
};

export type DayStatement = { readonly ok: true; readonly day: string; readonly lines: readonly StatementLine[] };

type PageCall<Row> = (query?: ExportPageQuery, options?: CallOptions) => Promise<ExportedPage<Row> | CallFailure>;
type Pages<Row> = (
  query?: ExportPageQuery,
  options?: CallOptions,
) => AsyncGenerator<ExportedPage<Row>, void, undefined>;

export type Exports = {
  /** One page of payments. */
  readonly payments: PageCall<ExportedPayment>;
  /** Every page up to now, as the loop goes on. Throws a `SvcPayError` when one can't be had. */
  readonly eachPaymentsPage: Pages<ExportedPayment>;
  /** One page of ledger entries. */
  readonly ledger: PageCall<ExportedEntry>;
  readonly eachLedgerPage: Pages<ExportedEntry>;
  /** What was booked on a day (UTC), such as `2026-11-16`, by chain and token. Calls until the whole day is summed. */
  readonly statement: (day: string, options?: CallOptions) => Promise<DayStatement | CallFailure>;
};

type PageBody<Row> = Omit<ExportedPage<Row>, 'ok'>;

export function exportsOf({ call }: Connection): Exports {
  const pageOf =
    <Row>(kind: 'payments' | 'ledger'): PageCall<Row> =>
    async (query = {}, options) => {
      const read = withFields<PageBody<Row>>({ rows: 'list', cursor: 'text', hasMore: 'flag' });
      const path = withQuery(`/sdk/exports/${kind}`, { format: 'jsonl', ...query });
      const answer = await call({ method: 'GET', path, read }, options);
      return answer.ok ? { ok: true, ...answer.value } : answer;
    };
  const payments = pageOf<ExportedPayment>('payments');
  const ledger = pageOf<ExportedEntry>('ledger');
  return {
    payments,
    eachPaymentsPage: (query, options) => everyPage(payments, query, options),
    ledger,
    eachLedgerPage: (query, options) => everyPage(ledger, query, options),
    statement: async (day, options) => {
      const read = withFields<StatementPart>({ lines: 'list', hasMore: 'flag', cursor: 'text or null' });
      let lines: readonly StatementLine[] = [];
      for (let cursor: string | undefined; ; ) {
        const path = withQuery('/sdk/statement', { day, cursor });
        const part = await call({ method: 'GET', path, read }, options);
        if (!part.ok) return part;
        lines = addLines(lines, part.value.lines);
        if (!part.value.hasMore || part.value.cursor === null) return { ok: true, day, lines };
        cursor = part.value.cursor;
      }
    },
  };
}

async function* everyPage<Row>(
  pageOf: PageCall<Row>,
  query: ExportPageQuery = {},
  options?: CallOptions,
): AsyncGenerator<ExportedPage<Row>, void, undefined> {
  for (let asked = query; ; ) {
    const page = orThrow(await pageOf(asked, options));
    yield page;
    if (!page.hasMore) return;
    asked = { ...query, cursor: page.cursor };
  }
}
