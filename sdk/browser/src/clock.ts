/** Unix time in milliseconds by this machine's own clock, which may be wrong. */
export const systemNowMs = (): number => Date.now();
