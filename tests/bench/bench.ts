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
};

export type BenchResult = {
  readonly figures: Readonly<Record<string, number | string>>;
  /** Bars that were not reached, as sentences. */
  readonly missed: readonly string[];
};

export type Bench = {
  /** What `--seconds` means to it when nothing is said. */
  readonly seconds: number;
  readonly run: (options: BenchOptions) => Promise<BenchResult>;
};
