// What delivering asks of the database. Shards say who looks after which endpoints; a claimed delivery is leased, and a
// fence voids whatever its former holder still writes.
import type { Mode } from '../account/mode.ts';
import type { SigningCandidate } from '../account/signing-key.ts';
import type { ClaimedDelivery, DeliveryReport } from './delivery.ts';

export type Shard = {
  /** Of the drain that works it. */
  readonly drain: string;
  readonly index: number;
  /** How many there are. The same for every process of a drain. */
  readonly count: number;
};

export type HeldShard = Shard & { readonly epoch: string };

export type EndpointKey = { readonly accountId: string; readonly mode: Mode; readonly endpointId: string };

export type DueEndpoint = EndpointKey & {
  /** False for one that is off or deleted, or was never there. */
  readonly enabled: boolean;
};

export type FoundEndpoints = {
  readonly endpoints: readonly DueEndpoint[];
  /** False when more is due than was looked at. */
  readonly all: boolean;
};

export type WalkedEndpoints = {
  readonly endpoints: readonly DueEndpoint[];
  /** Where the next walk goes on; empty when this one saw them all. */
  readonly after: string;
};

export type WantedDeliveries = EndpointKey & {
  /** Most rows to take. */
  readonly room: number;
};

export type KeyHolder = { readonly accountId: string; readonly mode: Mode };

export type SealedSigningKey = SigningCandidate & KeyHolder & { readonly ciphertext: Uint8Array };

export type SwitchedOff = { readonly accountId: string; readonly endpointId: string; readonly reason: string };

export type RecordedDeliveries = {
  /** Reports that counted; the others came from somebody whose lease had ended. */
  readonly count: number;
  readonly switchedOff: readonly SwitchedOff[];
};

export type DeliveryStore = {
  /** From here on whoever held the shard finds that it does not. */
  readonly takeOverShard: (shard: Shard, nowMs: number) => Promise<string>;
  /** A sign of life. False when somebody else has taken over. */
  readonly beatShard: (held: HeldShard, nowMs: number) => Promise<boolean>;
  /** True when nothing is due and the shard is marked asleep: the lookout wakes it. */
  readonly fallAsleep: (held: HeldShard, modes: readonly Mode[], nowMs: number) => Promise<boolean>;
  /** Shards with something due and nobody at it since `silentSinceMs`; they count as awake from now on. */
  readonly findSleepingShards: (
    shards: Pick<Shard, 'drain' | 'count'>,
    modes: readonly Mode[],
    nowMs: number,
    silentSinceMs: number,
  ) => Promise<readonly number[]>;
  /** By the rows that are due for longest. */
  readonly findDueEndpoints: (shard: Shard, modes: readonly Mode[], nowMs: number) => Promise<FoundEndpoints>;
  /** By the rows that fell due last. */
  readonly findFreshEndpoints: (shard: Shard, modes: readonly Mode[], nowMs: number) => Promise<readonly DueEndpoint[]>;
  /** By their ids, however many rows each of them has. */
  readonly walkDueEndpoints: (
    shard: Shard,
    modes: readonly Mode[],
    nowMs: number,
    after: string,
  ) => Promise<WalkedEndpoints>;
  /** Due deliveries, those longest due first, nobody else's until the lease ends. */
  readonly claimDeliveries: (
    wanted: readonly WantedDeliveries[],
    nowMs: number,
    leaseMs: number,
  ) => Promise<readonly ClaimedDelivery[]>;
  /** One transaction. A report whose lease was taken over changes nothing. */
  readonly recordDeliveries: (reports: readonly DeliveryReport[], nowMs: number) => Promise<RecordedDeliveries>;
  /** What is due for an endpoint that is not on leaves the queue; how many did. */
  readonly stopDeliveries: (endpoint: EndpointKey, nowMs: number) => Promise<number>;
  readonly loadSigningKeys: (holders: readonly KeyHolder[]) => Promise<readonly SealedSigningKey[]>;
};
