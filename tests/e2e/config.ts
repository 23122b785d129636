/** Number of windows that end together: few in the suite, many with `npm run chaos -- expiry`. */
export const expiringIntents = Number.parseInt(process.env['SVC_CHAOS_INTENTS'] ?? '2000', 10);
