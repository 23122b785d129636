/** Number of windows that end together: few in the suite, many with `npm run chaos -- expiry`. */
export const expiringIntents = Number.parseInt(process.env['SVC_CHAOS_INTENTS'] ?? '2000', 10);

/** File that the rehearsal's test writes the recording of a provider to; absent in the suite. */
export const recordingToWrite = process.env['SVC_WRITE_RECORDING'];
