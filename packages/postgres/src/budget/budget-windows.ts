// SQL of the windows of gas budgets. Times are by the database's clock, which writer and readers share.

/** The slot of five minutes that losses of now are added to. */
export const SLOT_NOW = "date_bin('5 minutes', now(), timestamptz '2000-01-01 00:00:00Z')";

/** Begin of the first slot of each window. A window is up to five minutes longer than its name says. */
const HOUR_BEGINS = `${SLOT_NOW} - interval '1 hour'`;
export const DAY_BEGINS = `${SLOT_NOW} - interval '1 day'`;

/** Columns `hour` and `day`: sums of `amount` over both windows, from rows that are not older than a day. */
export const sumOfWindows = (amount: string) =>
  `coalesce(sum(${amount}) filter (where slot >= ${HOUR_BEGINS}), 0)::text as hour, coalesce(sum(${amount}), 0)::text as day`;

/** What a row of `svc.gas_budget_uses` adds to a window. */
export const NET_LOSS = 'lost - reversed';
