// Test and live data are never mixed: the mode comes from the key and is part of every row and every query.

export const MODES = ['test', 'live'] as const;
export type Mode = (typeof MODES)[number];
