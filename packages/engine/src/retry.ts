// Retries of an invocation: quickly at first, then every second for as long as a process may take to come back. After
// that the engine kills the invocation, because one that waits for a process which moved away would lock its key for
// ever. No work is lost: the process that finds it undone in the database wakes it again.
export const RETRIES = {
  retryPolicy: {
    initialInterval: 50,
    exponentiationFactor: 2,
    maxInterval: 1_000,
    maxAttempts: 90,
    onMaxAttempts: 'kill',
  },
  // The database holds the results, so nothing is kept of an invocation that has ended.
  journalRetention: 0,
} as const;
