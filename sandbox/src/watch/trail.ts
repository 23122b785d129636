// Steps of one payment, as drawn on the page. Every step names its source.

/** `api`: available to any merchant. `operator`: from the operator's read-only view. */
type Source = 'api' | 'operator';

export type TrailStep = {
  readonly kind:
    | 'intent'
    | 'refusal'
    | 'signature'
    | 'charge'
    | 'batch'
    | 'transaction'
    | 'end'
    | 'books'
    | 'webhook'
    | 'final';
  /** ISO 8601. */
  readonly at: string;
  readonly title: string;
  readonly source: Source;
  readonly tone: 'good' | 'bad' | 'open';
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly legs?: readonly TrailLeg[];
};

export type TrailLeg = { readonly account: string; readonly party: string; readonly amountAtomic: string };

export type Trail = {
  readonly intentId: string;
  readonly status: string;
  readonly isUpto: boolean;
  /** The payer's own transfer pays it, on the Internet Computer: nothing is signed for a lane to carry. */
  readonly isTransfer: boolean;
  readonly amountAtomic: string;
  readonly description: string;
  readonly steps: readonly TrailStep[];
  /** True if no further step will come. */
  readonly atRest: boolean;
};
