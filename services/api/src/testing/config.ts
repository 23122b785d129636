/** Number of requests of the fuzzer: few in the suite, many with `npm run fuzz -- api --requests 50000`. */
export const fuzzRequests = Number.parseInt(process.env['SVC_FUZZ_REQUESTS'] ?? '3000', 10);

/** Seed to repeat a run; random if absent. */
export const fuzzSeed = process.env['SVC_FUZZ_SEED'];
