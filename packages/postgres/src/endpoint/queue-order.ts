// The order of `deliveries_due_of_endpoint`, the index of an endpoint's pending deliveries: those that go first, then the
// others, each by when they are due. It is the only index that begins with the endpoint, so a statement that reads the queue of
// an endpoint has one plan, whatever the planner believes about how many go first.

export const queueOrder = (row: string): string => `${row}.goes_first desc, ${row}.next_at`;

/** Condition that is always true. It names both values, so that a limit of `next_at` bounds what is read of each. */
export const inQueueOrder = (row: string): string => `${row}.goes_first = any ('{true,false}'::boolean[])`;
