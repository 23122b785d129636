/** Unix time in milliseconds, as `Date.now` tells it. */
export type Now = () => number;

export const systemNow: Now = () => Date.now();
