// What is done with a month that is no longer kept. Rows leave only when nothing needs them and an operator has said
// where copies go, or that none are wanted.

/** `unset`: the operator has said neither. */
export type ArchiveChoice = 'directory' | 'off' | 'unset';

export type ExpiredMonth = {
  readonly hasRows: boolean;
  /** A row that still has work to do: a payment in its lane, an authorization that can move money. */
  readonly hasUnfinished: boolean;
};

export type Retirement =
  | { readonly next: 'archive' }
  | { readonly next: 'drop' }
  | { readonly next: 'wait'; readonly reason: 'unfinished_rows' | 'archive_not_set' };

export function decideRetirement({ hasRows, hasUnfinished }: ExpiredMonth, archive: ArchiveChoice): Retirement {
  if (hasUnfinished) return { next: 'wait', reason: 'unfinished_rows' };
  if (!hasRows || archive === 'off') return { next: 'drop' };
  return archive === 'directory' ? { next: 'archive' } : { next: 'wait', reason: 'archive_not_set' };
}
