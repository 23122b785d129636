// Database port of deliveries. A shard decides which process serves which webhook endpoints; a leased delivery is
// leased, and a fence voids writes of an earlier lease.
import type { Mode } from '../account/mode.ts';
import type { SigningCandidate } from '../account/signing-key.ts';
import type { DeliveryReport, LeasedDelivery } from './delivery.ts';

export type Shard = {
  /** Name of the drain that works the shard. */
  readonly drain: string;
  readonly index: number;
  /** Number of shards. The same for every process of a drain. */
  readonly count: number;
};

export type ShardLease = Shard & { readonly epoch: string };

export type EndpointKey = { readonly accountId: string; readonly mode: Mode; readonly endpointId: string };

export type DueEndpoint = EndpointKey & {
  /** False for an endpoint that is off, deleted, or unknown. */
  readonly enabled: boolean;
};

export type FoundEndpoints = {
  readonly endpoints: readonly DueEndpoint[];
  /** False when more endpoints are due than were read. */
  readonly all: boolean;
};

export type WalkedEndpoints = {
  readonly endpoints: readonly DueEndpoint[];
  /** Cursor for the next walk; empty when this one reached the end. */
  readonly after: string;
};

export type WantedDeliveries = EndpointKey & {
  /** Most rows to take, besides those of `keptRoom`. */
  readonly room: number;
  /** Most rows to take beyond `room`, of deliveries that go first alone. */
  readonly keptRoom: number;
};

export type KeyHolder = { readonly accountId: string; readonly mode: Mode };

export type SealedSigningKey = SigningCandidate & KeyHolder & { readonly ciphertext: Uint8Array };

export type SwitchedOff = { readonly accountId: string; readonly endpointId: string; readonly reason: string };

export type RecordedDeliveries = {
  /** Reports that were recorded; the others came from a lease that had ended. */
  readonly count: number;
  /** Deliveries without retries left to an enabled endpoint: their merchant does not get the event. By their modes. */
  readonly givenUp: readonly Mode[];
  readonly switchedOff: readonly SwitchedOff[];
};

export type DeliveryStore = {
  /** Returns the new epoch; every earlier lease on the shard ends. */
  readonly takeOverShard: (shard: Shard, nowMs: number) => Promise<string>;
  /** Records a heartbeat. False when another process has taken over. */
  readonly heartbeatShard: (lease: ShardLease, nowMs: number) => Promise<boolean>;
  /** True when nothing is due and the shard is marked asleep: a periodic job wakes it. */
  readonly fallAsleep: (lease: ShardLease, modes: readonly Mode[], nowMs: number) => Promise<boolean>;
  /** Shards with due deliveries and no heartbeat since `silentSinceMs`; they are marked awake. */
  readonly findSleepingShards: (
    shards: Pick<Shard, 'drain' | 'count'>,
    modes: readonly Mode[],
    nowMs: number,
    silentSinceMs: number,
  ) => Promise<readonly number[]>;
  /** Endpoints of the rows that are due for longest. */
  readonly findDueEndpoints: (shard: Shard, modes: readonly Mode[], nowMs: number) => Promise<FoundEndpoints>;
  /** Endpoints of the rows that became due last. */
  readonly findFreshEndpoints: (shard: Shard, modes: readonly Mode[], nowMs: number) => Promise<readonly DueEndpoint[]>;
  /** Due endpoints in id order, however many rows each has. */
  readonly walkDueEndpoints: (
    shard: Shard,
    modes: readonly Mode[],
    nowMs: number,
    after: string,
  ) => Promise<WalkedEndpoints>;
  /**
   * Leases due deliveries: those that go first, then the others, longest due first. No other process gets them until
   * the lease ends.
   */
  readonly leaseDeliveries: (
    wanted: readonly WantedDeliveries[],
    nowMs: number,
    leaseMs: number,
  ) => Promise<readonly LeasedDelivery[]>;
  /** One transaction. A report whose lease was taken over changes nothing. */
  readonly recordDeliveries: (reports: readonly DeliveryReport[], nowMs: number) => Promise<RecordedDeliveries>;
  /** Takes due deliveries of an endpoint that is not on off the queue; returns their number. */
  readonly stopDeliveries: (endpoint: EndpointKey, nowMs: number) => Promise<number>;
  readonly loadSigningKeys: (holders: readonly KeyHolder[]) => Promise<readonly SealedSigningKey[]>;
};
