/** How many requests the fuzzer sends: few in every run of the suite, many by `npm run fuzz -- api --requests 50000`. */
export const fuzzRequests = Number.parseInt(process.env['SVC_FUZZ_REQUESTS'] ?? '3000', 10);

/** Repeats a run; drawn anew when absent. */
export const fuzzSeed = process.env['SVC_FUZZ_SEED'];
