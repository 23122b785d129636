// How long a relayer's coins last at what it spent lately.

const DAY_MS = 86_400_000;
const WINDOW_DAYS = 7;
/** A float that lasts longer is told as this many days. */
const MOST_DAYS = 9_999n;

export type RelayerSpending = {
  /** Undefined before settlement has read it. */
  readonly balanceAtomic: bigint | undefined;
  /** Within `spendingFromMs`. */
  readonly spentAtomic: bigint;
  /** Since when all of its spending is recorded. */
  readonly countedFromMs: number;
  readonly nowMs: number;
};

export type FloatInDays =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'no_spending' }
  | { readonly kind: 'days'; readonly days: number; readonly perDayAtomic: bigint };

/** Spending of before this moment is not counted. */
export const spendingFromMs = (nowMs: number): number => nowMs - WINDOW_DAYS * DAY_MS;

/** Days to one decimal, rounded down. The mean is over seven days, or over as many as are recorded, at least one. */
export function relayerFloat({ balanceAtomic, spentAtomic, countedFromMs, nowMs }: RelayerSpending): FloatInDays {
  if (balanceAtomic === undefined) return { kind: 'unknown' };
  if (spentAtomic <= 0n) return { kind: 'no_spending' };
  const countedMs = BigInt(Math.min(WINDOW_DAYS * DAY_MS, Math.max(DAY_MS, Math.floor(nowMs - countedFromMs))));
  const tenths = (balanceAtomic * 10n * countedMs) / (spentAtomic * BigInt(DAY_MS));
  return {
    kind: 'days',
    days: Number(tenths < MOST_DAYS * 10n ? tenths : MOST_DAYS * 10n) / 10,
    perDayAtomic: (spentAtomic * BigInt(DAY_MS)) / countedMs,
  };
}
