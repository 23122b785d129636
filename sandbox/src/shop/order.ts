// Types shared by the shop's server and its page.

export type Order = {
  readonly id: string;
  readonly item: string;
  /**
   * `authorized`: a cap is signed and the tab is open. `closing`: the tab is being charged, and nothing more is served.
   */
  readonly status: 'open' | 'authorized' | 'closing' | 'paid' | 'failed' | 'canceled';
  /** The intent that the shop made for it, and what its page pays with. Null for orders of a version before. */
  readonly intentId: string | null;
  readonly clientSecret: string | null;
  readonly units: number;
  readonly chargedAtomic: string | null;
  readonly returnedAtomic: string | null;
  readonly transactionId: string | null;
  readonly trouble: string | null;
};

export type ShownItem = {
  readonly id: string;
  readonly name: string;
  readonly about: string;
  readonly tokenShortcode: string;
  readonly kind: 'exact' | 'upto';
  /** Price or cap, in smallest units like all amounts here. */
  readonly amountAtomic: string;
  readonly unitAtomic: string | null;
};

export type OrderView = Order & {
  readonly shown: ShownItem;
  /** Lines read so far. */
  readonly lines: readonly string[];
  /** Cost of the units used so far. */
  readonly usedAtomic: string;
};
