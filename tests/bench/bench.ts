export type BenchOptions = {
  readonly seconds: number;
  /** One part of a bench that has several. */
  readonly only: string | undefined;
  /** Concurrencies instead of the bench's own. */
  readonly levels: readonly number[] | undefined;
  readonly profile: boolean;
  /** Payments through the processor, or to the merchant's own wallet. */
  readonly kind: 'processor' | 'direct';
  /** Writes its tables into the page on performance. */
  readonly write: boolean;
  /** Largest size that a bench of growth goes up to. */
  readonly most: number | undefined;
  /** Numbers of merchants, each in a world of its own. */
  readonly merchants: readonly number[] | undefined;
  /** Payments a second of open loops, after the concurrencies. */
  readonly rates: readonly number[] | undefined;
  /** Addresses of the chain. */
  readonly nodes: number | undefined;
  /** Of the tuned reference. */
  readonly processes: number | undefined;
  /** How long nothing happens; 0: that is not measured. */
  readonly idleSeconds: number | undefined;
};

export type BenchResult = {
  readonly figures: Readonly<Record<string, number | string>>;
  /** Bars that were not reached, as sentences. */
  readonly missed: readonly string[];
  /** Kept in a file with the figures: everything that they were made of. */
  readonly raw?: unknown;
};

export type Bench = {
  /** What `--seconds` means to it when nothing is said. */
  readonly seconds: number;
  readonly run: (options: BenchOptions) => Promise<BenchResult>;
};
