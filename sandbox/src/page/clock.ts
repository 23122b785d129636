/** Unix time in milliseconds by the payer's machine, which may be wrong. */
export const nowMs = (): number => Date.now();
