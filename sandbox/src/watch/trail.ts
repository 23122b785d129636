// The way of one payment, step by step, as the page draws it. Every step says where it was learnt.

/** `api`: what any merchant can ask for. `operator`: the read-only view of whoever runs the service. */
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
  readonly legs?: readonly Leg[];
};

export type Leg = { readonly account: string; readonly party: string; readonly amountAtomic: string };

export type Trail = {
  readonly intentId: string;
  readonly status: string;
  readonly isUpto: boolean;
  readonly amountAtomic: string;
  readonly description: string;
  readonly steps: readonly TrailStep[];
  /** Nothing more will happen. */
  readonly atRest: boolean;
};
