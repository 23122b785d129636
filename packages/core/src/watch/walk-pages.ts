// Reads rows in pages by key, so that rows that stay unresolved never keep a watcher from the rows behind them.

export type WalkOptions<Row> = {
  /** Loads the rows after that row in key order; the first rows when it is undefined. */
  readonly load: (after: Row | undefined, limit: number) => Promise<readonly Row[]>;
  readonly pageSize: number;
  /** A run reads at most this many pages; the next run continues after them. */
  readonly maxPages: number;
};

export type Walk<Row> = (work: (page: readonly Row[]) => Promise<void>) => Promise<void>;

export function createWalk<Row>({ load, pageSize, maxPages }: WalkOptions<Row>): Walk<Row> {
  let after: Row | undefined;
  return async (work) => {
    for (let turn = 0; turn < maxPages; turn += 1) {
      const page = await load(after, pageSize);
      // Set before the work: when a page makes the run fail, the next run starts after that page.
      after = page.length < pageSize ? undefined : page.at(-1);
      if (page.length > 0) await work(page);
      if (after === undefined) return;
    }
  };
}
