/** How often a watcher runs, and how many rows it reads. */
export type PageLimits = {
  readonly everyMs: number;
  readonly pageSize: number;
  /** A run reads at most this many pages; the next run continues after them. */
  readonly maxPages: number;
};
