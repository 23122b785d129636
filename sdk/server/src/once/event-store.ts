// Where a receiver remembers which events it has dealt with.

export type Claim = 'claimed' | 'done' | 'held';

/**
 * An event is free, held by one holder until its lease ends, or done for ever. Every operation is atomic over all
 * processes that share the store, and measures time by one clock.
 */
export type EventStore = {
  /** `claimed` when the event was free or its lease over: it is now held by `holder`. Otherwise nothing changes. */
  readonly claim: (eventId: string, holder: string, leaseMs: number) => Promise<Claim>;
  /** Prolongs a lease. False when `holder` no longer holds the event. */
  readonly renew: (eventId: string, holder: string, leaseMs: number) => Promise<boolean>;
  /** The event is done, whoever holds it: the work has been carried out, and no lease can undo that. */
  readonly complete: (eventId: string) => Promise<void>;
  /** The event is free again, if `holder` still holds it and it is not done. */
  readonly release: (eventId: string, holder: string) => Promise<void>;
};
