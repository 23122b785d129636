// An answer that can be given again, byte for byte.

import type { Caller } from '../account/authenticate.ts';

export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** The caller's `Idempotency-Key` and what it was sent with. */
export type IdempotencyClaim = {
  readonly key: string;
  /** SHA-256 over method, path and raw body. */
  readonly requestHash: Uint8Array;
};

/**
 * What became of a write that carried an idempotency claim. The claim, the answer and the work are one commit: either all
 * are there or none, so there is never a claim whose work is unknown.
 */
export type Recorded =
  | { readonly outcome: 'recorded' }
  | { readonly outcome: 'replayed'; readonly answer: Answer }
  | { readonly outcome: 'key_reused' };

export type RecallAnswer = (
  caller: Caller,
  claim: IdempotencyClaim,
) => Promise<Exclude<Recorded, { readonly outcome: 'recorded' }> | undefined>;
