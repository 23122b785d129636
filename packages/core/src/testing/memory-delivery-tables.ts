// The tables of the memory store for deliveries, endpoints and shards.
import type { AttemptRecord, DeliveryDecision, DeliveryKey, EndpointFacts, Mode, SealedSigningKey } from '../index.ts';

export type DeliveryRow = Readonly<DeliveryKey> & {
  status: DeliveryDecision['status'];
  /** Infinity while it is parked. */
  nextAtMs: number | null;
  leaseUntilMs: number | null;
  fence: number;
  attemptCount: number;
  unchargedCount: number;
  reason: string | null;
  finishedAtMs: number | null;
  readonly goesFirst: boolean;
};

/** When a pending delivery may be claimed, infinity if never: a lease on it has to end first. */
export const dueAtMs = ({ nextAtMs, leaseUntilMs }: Pick<DeliveryRow, 'nextAtMs' | 'leaseUntilMs'>): number =>
  Math.max(nextAtMs ?? Number.POSITIVE_INFINITY, leaseUntilMs ?? 0);

export type EndpointRow = {
  readonly accountId: string;
  readonly mode: Mode;
  readonly id: string;
  readonly url: string;
  readonly retryCount: number;
  readonly timeoutMs: number;
  readonly eventTypes: readonly string[];
  status: EndpointFacts['status'];
  disabledReason: string | null;
  failingSinceMs: number | null;
  changedAtMs: number;
};

export type AttemptRow = {
  readonly eventId: string;
  readonly endpointId: string;
  readonly attempt: number;
  readonly fence: string;
  readonly outcome: AttemptRecord['outcome'];
  readonly responseStatus: number | null;
  readonly recordedAtMs: number;
  /** Its lease ended before a report came. */
  readonly isLost: boolean;
};

type ShardRow = { epoch: number; awake: boolean; heartbeatAtMs: number };

export type MemoryDeliveryTables = {
  /** By event and endpoint. */
  readonly deliveries: Map<string, DeliveryRow>;
  readonly endpoints: Map<string, EndpointRow>;
  readonly attempts: AttemptRow[];
  /** When each lease began, by event, endpoint and fence: the database keeps the newest only, a checker wants all. */
  readonly leases: Map<string, number>;
  readonly shards: Map<string, ShardRow>;
  readonly signingKeys: SealedSigningKey[];
};

/** Events as deliveries read them. */
export type MemoryEventBodies = {
  readonly events: ReadonlyMap<string, { readonly body: Uint8Array; readonly sequence: number }>;
};

export function createDeliveryTables(): MemoryDeliveryTables {
  return {
    deliveries: new Map(),
    endpoints: new Map(),
    attempts: [],
    leases: new Map(),
    shards: new Map(),
    signingKeys: [],
  };
}

export const deliveryRowKey = ({ eventId, endpointId }: Pick<DeliveryKey, 'eventId' | 'endpointId'>): string =>
  `${eventId} ${endpointId}`;

/** Queues a delivery that is due at `dueAtMs`. */
export function addMemoryDelivery(
  { deliveries }: MemoryDeliveryTables,
  key: DeliveryKey,
  dueAtMs: number,
  first: boolean,
): void {
  const { accountId, mode, eventId, endpointId } = key;
  deliveries.set(deliveryRowKey(key), {
    accountId,
    mode,
    eventId,
    endpointId,
    status: 'pending',
    nextAtMs: dueAtMs,
    leaseUntilMs: null,
    fence: 0,
    attemptCount: 0,
    unchargedCount: 0,
    reason: null,
    finishedAtMs: null,
    goesFirst: first,
  });
}
