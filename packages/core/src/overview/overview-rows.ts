// Figures of an account as they are stored: sums by interval, chain and token.
import type { OverviewInterval } from '@svc-pay/protocol/merchant';

/** UTC; both are begins of intervals. */
export type OverviewRange = {
  readonly fromMs: number;
  readonly toMs: number;
  readonly interval: OverviewInterval;
};

/** Everything in it is a sum. Amounts in dollars are smallest units times attodollars for a whole token. */
export type OverviewSums = {
  /** Payments whose money was moved, mismatched ones too. */
  readonly settled: number;
  readonly unpriced: number;
  readonly mismatched: number;
  readonly failed: number;
  readonly canceled: number;
  readonly refunds: number;
  readonly reversals: number;
  readonly volume: bigint;
  readonly refunded: bigint;
  /** In smallest units of the chain's coin. */
  readonly gas: bigint;
  /** The same in the token, and the volume of the payments of which it is known. */
  readonly gasValue: bigint;
  readonly carried: bigint;
  readonly volumeUsd: bigint;
  readonly refundedUsd: bigint;
  readonly gasUsd: bigint;
  readonly carriedUsd: bigint;
};

export type OverviewLine = OverviewSums & {
  /** Begin of the interval. */
  readonly atMs: number;
  readonly network: string;
  readonly asset: string;
};

export type OverviewRows = {
  /** Everything that was committed by then is in the sums. */
  readonly asOfMs: number | null;
  readonly lines: readonly OverviewLine[];
  readonly times: readonly { readonly atMs: number; readonly bin: number; readonly count: number }[];
  readonly failures: readonly { readonly code: string; readonly count: number }[];
};
