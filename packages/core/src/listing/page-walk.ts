// Walks the partitions of a list from a position on, newest first or oldest first, until a page is full. Rows of one filter may
// be months apart, so each step looks at twice as many partitions as the step before, and a page costs a bounded number of
// blocks: a walk that would cost more ends with a short page and a position to go on from.
import { type IdKind, idBound, timeOfId } from '@svc-pay/protocol/ids';
import { type DaySpan, partitionEnd, partitionStart } from './partition-start.ts';

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
  /** Undefined: the table has partitions of months alone. */
  readonly days: DaySpan | undefined;
};

export type WalkedPage<Row> = {
  /** Newest first. */
  readonly rows: readonly Row[];
  /** Where the list goes on in the order of the walk; undefined at its end. */
  readonly more: string | undefined;
};

/** Blocks of a page, with some left for what no row and no partition is charged for. */
const PAGE_BLOCKS = 480;
/** To descend an index of a partition: up to four levels, and the row that is looked at. */
const PARTITION_BLOCKS = 5;
const MOST_PARTITIONS = 64;

/** `read` returns at most that many rows of the span, in the order of the walk. */
export async function walkPages<Row extends { readonly id: string }>(
  walk: PageWalk,
  read: (span: IdSpan, limit: number) => Promise<readonly Row[]>,
): Promise<WalkedPage<Row>> {
  const limit = Math.max(1, Math.min(walk.limit, Math.floor((PAGE_BLOCKS - 4 * PARTITION_BLOCKS) / walk.rowBlocks)));
  const rows: Row[] = [];
  let left = wholeSpan(walk);
  let blocks = 0;
  for (let next = 1; left.from < left.to; next = Math.min(next * 2, MOST_PARTITIONS)) {
    const affordable = Math.floor((PAGE_BLOCKS - blocks - rows.length * walk.rowBlocks) / PARTITION_BLOCKS);
    if (affordable < 1) return pageOf(walk, rows, walk.order === 'older' ? left.to : left.from);
    const { span, rest } = nextSpan(walk, left, Math.min(next, affordable));
    rows.push(...(await read(span, limit + 1 - rows.length)));
    if (rows.length > limit) return pageOf(walk, rows.slice(0, limit), rows[limit - 1]?.id);
    blocks += Math.min(next, affordable) * PARTITION_BLOCKS;
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

/** The first partitions of what is left, counted from the end where the walk is. */
function nextSpan(
  { kind, order, days }: PageWalk,
  left: IdSpan,
  partitions: number,
): { readonly span: IdSpan; readonly rest: IdSpan } {
  let edgeMs = timeOf(order === 'older' ? left.to : left.from);
  for (let passed = 0; passed < partitions; passed += 1)
    edgeMs = order === 'older' ? partitionStart(edgeMs - 1, days) : partitionEnd(edgeMs, days);
  const edge = idBound(kind, edgeMs);
  if (order === 'older') {
    const from = edge > left.from ? edge : left.from;
    return { span: { from, to: left.to }, rest: { from: left.from, to: from } };
  }
  const to = edge < left.to ? edge : left.to;
  return { span: { from: left.from, to }, rest: { from: to, to: left.to } };
}

const timeOf = (bound: string): number => timeOfId(bound as Parameters<typeof timeOfId>[0]);
