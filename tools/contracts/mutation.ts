// One small wrong of the contracts.

/** What it does, file, text that stands there once, text instead. */
export type Mutation = readonly [name: string, file: string, find: string, replace: string];
