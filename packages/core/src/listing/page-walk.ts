// Walks the months of a list from a position on, newest first or oldest first, until a page is full. Rows of one filter may be
// months apart, so each step looks at twice as many months as the step before, and a page costs a bounded number of blocks:
// a walk that would cost more ends with a short page and a position to go on from.
import { type IdKind, idBound, timeOfId } from '@svc-pay/protocol/ids';

/** Ids between `from` and `to`, both exclusive. */
export type IdSpan = { readonly from: string; readonly to: string };

export type PageWalk = {
  readonly kind: IdKind;
  readonly order: 'older' | 'newer';
  /** Exclusive. Undefined: from the end where the order begins. */
  readonly position: string | undefined;
  /** Inclusive. */
  readonly earliestMs: number;
  /** Exclusive. */
  readonly latestMs: number;
  readonly limit: number;
  /** Most blocks that one row of the answer costs: of its own table, and of those that are read for it. */
  readonly rowBlocks: number;
};

export type WalkedPage<Row> = {
  /** Newest first. */
  readonly rows: readonly Row[];
  /** Where the list goes on in the order of the walk; undefined at its end. */
  readonly more: string | undefined;
};

/** Blocks of a page, with some left for what no row and no month is charged for. */
const PAGE_BLOCKS = 480;
/** To descend an index of a month: up to four levels, and the row that is looked at. */
const MONTH_BLOCKS = 5;
const MOST_MONTHS = 64;

/** `read` returns at most that many rows of the span, in the order of the walk. */
export async function walkPages<Row extends { readonly id: string }>(
  walk: PageWalk,
  read: (span: IdSpan, limit: number) => Promise<readonly Row[]>,
): Promise<WalkedPage<Row>> {
  const limit = Math.max(1, Math.min(walk.limit, Math.floor((PAGE_BLOCKS - 4 * MONTH_BLOCKS) / walk.rowBlocks)));
  const rows: Row[] = [];
  let left = wholeSpan(walk);
  let blocks = 0;
  for (let months = 1; left.from < left.to; months = Math.min(months * 2, MOST_MONTHS)) {
    const affordable = Math.floor((PAGE_BLOCKS - blocks - rows.length * walk.rowBlocks) / MONTH_BLOCKS);
    if (affordable < 1) return pageOf(walk, rows, walk.order === 'older' ? left.to : left.from);
    const { span, rest } = nextSpan(walk, left, Math.min(months, affordable));
    rows.push(...(await read(span, limit + 1 - rows.length)));
    if (rows.length > limit) return pageOf(walk, rows.slice(0, limit), rows[limit - 1]?.id);
    blocks += Math.min(months, affordable) * MONTH_BLOCKS;
    left = rest;
  }
  return pageOf(walk, rows, undefined);
}

function pageOf<Row>({ order }: PageWalk, rows: readonly Row[], more: string | undefined): WalkedPage<Row> {
  return { rows: order === 'older' ? rows : rows.toReversed(), more };
}

function wholeSpan({ kind, order, position, earliestMs, latestMs }: PageWalk): IdSpan {
  const [from, to] = [idBound(kind, earliestMs), idBound(kind, latestMs)];
  if (position === undefined) return { from, to };
  return order === 'older'
    ? { from, to: position < to ? position : to }
    : { from: position > from ? position : from, to };
}

/** The first `months` of what is left, counted from the end where the walk is. */
function nextSpan({ kind, order }: PageWalk, left: IdSpan, months: number): { span: IdSpan; rest: IdSpan } {
  if (order === 'older') {
    const edge = idBound(kind, monthStart(timeOf(left.to) - 1, 1 - months));
    const from = edge > left.from ? edge : left.from;
    return { span: { from, to: left.to }, rest: { from: left.from, to: from } };
  }
  const edge = idBound(kind, monthStart(timeOf(left.from), months));
  const to = edge < left.to ? edge : left.to;
  return { span: { from: left.from, to }, rest: { from: to, to: left.to } };
}

const timeOf = (bound: string): number => timeOfId(bound as Parameters<typeof timeOfId>[0]);

/** Of the month that is `months` after that of `atMs`, in UTC. */
function monthStart(atMs: number, months: number): number {
  const at = new Date(atMs);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months);
}
