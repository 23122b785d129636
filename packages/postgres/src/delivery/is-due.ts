/**
 * SQL condition for a pending delivery that may be claimed: its time has come and no lease on it runs. A lease leaves `next_at`
 * as it is: no index contains what a claim changes, so a claim writes no index entry. Leased deliveries therefore stay in the
 * queue and are passed over. A delivery of a sender that ended is due again when its lease ends.
 */
export const isDue = (row: string, now: string): string =>
  `${row}.next_at <= ${now} and (${row}.lease_until is null or ${row}.lease_until <= ${now})`;
