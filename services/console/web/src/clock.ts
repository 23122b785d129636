/** The browser's clock, for what is said relative to now; the service decides by its own. */
export const nowMs = (): number => Date.now();
