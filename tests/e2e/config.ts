/** How many windows end at once: few in every run of the suite, many by `npm run chaos -- expiry`. */
export const expiringIntents = Number.parseInt(process.env['SVC_CHAOS_INTENTS'] ?? '2000', 10);
