// Test and live never meet: the mode comes from the key and is part of every row and every query.

export const MODES = ['test', 'live'] as const;
export type Mode = (typeof MODES)[number];
