/** Partitions kept ready: last month for late writers, three months ahead for a timer that has stopped. Of days, two and ten. */
export const PARTITIONS_READY = { monthsBack: 1, monthsAhead: 3 } as const;
