/** Unix time in milliseconds, as `Date.now` gives it. */
export type NowMs = () => number;

export const systemNowMs: NowMs = () => Date.now();
