/** Audit records that belong to no single account are written under this one. */
export const PLATFORM = 'platform';
