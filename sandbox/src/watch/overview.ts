// Data of the timeline page besides the single payment: the lanes and the latest payments.

export type ShownBatch = {
  readonly id: string;
  readonly nonce: string;
  readonly status: 'signed' | 'broadcast' | 'mined' | 'finalized' | 'replaced' | 'dropped';
  readonly itemCount: number;
};

export type ShownLane = {
  readonly relayer: string;
  readonly condition: string;
  readonly awake: boolean;
  /** Oldest first. */
  readonly batches: readonly ShownBatch[];
};

export type ShownIntent = {
  readonly id: string;
  readonly status: string;
  readonly isUpto: boolean;
  readonly amountAtomic: string;
  readonly description: string;
  /** ISO 8601. */
  readonly createdAt: string;
};

export type ShownWorld = {
  readonly lanes: readonly ShownLane[];
  readonly queued: number;
  readonly held: number;
  /** Newest first. */
  readonly intents: readonly ShownIntent[];
};
