// Shapes that the shop's server and its page share.

export type Order = {
  readonly id: string;
  readonly item: string;
  /** `authorized`: a cap is signed and the tab is open. `closing`: it is being charged, and nothing more is served. */
  readonly status: 'open' | 'authorized' | 'closing' | 'paid' | 'failed' | 'canceled';
  readonly intentId: string | null;
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
  /** The price, or the cap. Smallest units, as all amounts here. */
  readonly amountAtomic: string;
  readonly unitAtomic: string | null;
};

export type OrderView = Order & {
  readonly shown: ShownItem;
  /** What was read so far. */
  readonly lines: readonly string[];
  /** What the units used come to. */
  readonly usedAtomic: string;
};
