// A stored answer that can be replayed byte for byte.

import type { Caller } from '../account/authenticate.ts';

export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** The caller's `Idempotency-Key` and the request that it belongs to. */
export type IdempotencyClaim = {
  /** As submitted by the caller. */
  readonly key: string;
  /** As `storedKeyOf` names it. */
  readonly storedKey: string;
  /** SHA-256 over method, path and raw body. */
  readonly requestHash: Uint8Array;
};

/**
 * Result of a write with an idempotency claim. The claim, the answer and the work are one commit, so there is never a
 * claim whose work is unknown.
 */
export type Recorded =
  | { readonly outcome: 'recorded' }
  | { readonly outcome: 'replayed'; readonly answer: Answer }
  | { readonly outcome: 'key_reused' };

export type RecallAnswer = (
  caller: Caller,
  claim: IdempotencyClaim,
) => Promise<Exclude<Recorded, { readonly outcome: 'recorded' }> | undefined>;
