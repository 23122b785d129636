// Transactions that are found by the reference key of their intent.
export {
  createReferenceReader,
  REFERENCE_LIMITS,
  type ReferenceDeps,
  type ReferenceLimits,
} from './read-references.ts';
export { FINAL_AFTER_END_MS, nextReadAtMs, REFERENCE_KEPT_MS } from './reading-times.ts';
export * from './receipt-index.ts';
export type * from './reference-chain.ts';
export type * from './reference-store.ts';
export * from './request-transaction.ts';
export * from './token-movement.ts';
