// How the engine tries again. Quickly at first, then every second, as long as a process may take to come back. What still
// fails then is given up: an invocation that waits for a process which moved away would hold its key for ever. Nothing
// is lost by it, because whoever finds the work left undone wakes it anew.
export const RETRIES = {
  retryPolicy: {
    initialInterval: 50,
    exponentiationFactor: 2,
    maxInterval: 1_000,
    maxAttempts: 90,
    onMaxAttempts: 'kill',
  },
  // What ended is of no use: the truth about it stands in the database.
  journalRetention: 0,
} as const;
