// Which blocks are read next, and for which sources.
import type { ReaderSource, ReadRange, SourceKind } from './reader-chain.ts';
import type { ReaderCursor } from './reader-store.ts';

/** Sources of one kind whose cursors are at the same block: one question reads the logs of all. */
export type SourceGroup = {
  readonly kind: SourceKind;
  readonly sources: readonly ReaderSource[];
  readonly at: ReaderCursor['at'];
};

/** Those nearest to the head first: a source with many blocks to catch up does not hold up the others. */
export function groupCursors(cursors: readonly ReaderCursor[]): readonly SourceGroup[] {
  const groups = Map.groupBy(cursors, ({ kind, at }) => `${kind} ${at.number} ${at.hash}`);
  return [...groups.values()]
    .flatMap((group): readonly SourceGroup[] => {
      const [first] = group;
      if (first === undefined) return [];
      return [{ kind: first.kind, at: first.at, sources: group.map(({ address, kind }) => ({ address, kind })) }];
    })
    .toSorted((one, other) => compare(other.at.number, one.at.number));
}

/** Heights up to which sources are read. */
export type Ceilings = Readonly<Record<SourceKind, bigint>>;

/**
 * The blocks to read after `at`; undefined when none is left. A range ends where another group of the kind stands, so that
 * the two are read together from there on.
 */
export function planRange(
  { kind, at }: Pick<SourceGroup, 'kind' | 'at'>,
  others: readonly Pick<SourceGroup, 'kind' | 'at'>[],
  ceilings: Ceilings,
  size: number,
): ReadRange | undefined {
  const ahead = others.filter((other) => other.kind === kind && other.at.number > at.number);
  const ends = [at.number + BigInt(size), ceilings[kind], ...ahead.map((other) => other.at.number)];
  const to = ends.reduce((one, other) => (one < other ? one : other));
  return to > at.number ? { from: at.number + 1n, to } : undefined;
}

export type RangeLimits = {
  /** Blocks of the largest range. */
  readonly maxRange: number;
  /** After a range with more logs the next is smaller. */
  readonly manyLogs: number;
};

/** Size of the next range after one of `size` blocks with so many logs; after `too_large` the same blocks are read in halves. */
export function nextSize(size: number, logs: number | 'too_large', { maxRange, manyLogs }: RangeLimits): number {
  if (logs === 'too_large' || logs > manyLogs) return Math.max(1, Math.floor(size / 2));
  // Between a half and the whole of `manyLogs` the size is right.
  return logs > manyLogs / 2 ? size : Math.min(maxRange, size * 2);
}

const compare = (one: bigint, other: bigint) => (one === other ? 0 : one < other ? -1 : 1);
