// A quota is a number per window of time, for all API processes of the installation together. Its bucket is a row of the
// database. A process leases chunks of it and takes requests from its chunk without asking the database.

/** `size` may be used at once; the bucket is full again after `windowMs`. */
export type Quota = { readonly size: number; readonly windowMs: number };

/** What a process says about one bucket in a round of leases. */
export type ChunkAsk = {
  readonly name: string;
  readonly quota: Quota;
  /** Used without a lease since the last round; negative if unused parts of a chunk are returned. */
  readonly charge: number;
  /** Size of the chunk that the process would like. */
  readonly wanted: number;
};

export type ChunkGrant = {
  readonly name: string;
  /** Leased to the process: from 0 to `wanted`. */
  readonly granted: number;
  /** Time until the bucket is full, if nobody takes from it. More than the window: the bucket is overdrawn. */
  readonly fullInMs: number;
};

/** Open event streams of this process under one name; 0 closes the entry. */
export type OpenStreams = { readonly name: string; readonly open: number };

export type LeaseRound = {
  readonly asks: readonly ChunkAsk[];
  /** Counts that changed since the last round. */
  readonly streams: readonly OpenStreams[];
  /** Names whose streams in the other processes are asked for. */
  readonly watched: readonly string[];
};

export type LeaseAnswer = {
  /** A bucket may be missing: its row was deleted at the same moment. */
  readonly grants: readonly ChunkGrant[];
  /** API processes that are alive, this one included. */
  readonly live: number;
  /** Streams that the other live processes have open under a watched name; absent is 0. */
  readonly elsewhere: ReadonlyMap<string, number>;
};

export type QuotaStore = {
  /** One statement for all buckets of the round. */
  readonly lease: (round: LeaseRound) => Promise<LeaseAnswer>;
  /** Deletes full buckets and processes that are gone. */
  readonly expire: () => Promise<void>;
  /** The process stops: its streams are closed, and it no longer counts as alive. */
  readonly leave: () => Promise<void>;
};

/** A process that was not heard of for this long is not alive: its streams no longer count. */
export const PROCESS_LIFE_MS = 5_000;
