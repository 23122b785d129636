/**
 * How often each process measures the delay of its event loop, for its metrics. Each measurement wakes the process: the library's
 * ten milliseconds are a hundred a second for nothing. What is measured is at least this long, and the alert EventLoopSlow begins at
 * half a second.
 */
export const LAG_EVERY_MS = 200;
