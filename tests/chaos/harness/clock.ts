export const nowMs = (): number => Date.now();
