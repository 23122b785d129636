// What the contract of DeliveryStore needs around a store: rows to begin with, and reads of what became of them.
import type { DeliveryStore, EndpointFacts, EndpointKey } from '../index.ts';

export type NewContractEndpoint = {
  readonly id: string;
  readonly retryCount?: number;
  readonly failingSinceMs?: number;
  readonly changedAtMs: number;
};

export type StoredContractEndpoint = {
  readonly status: EndpointFacts['status'];
  readonly disabledReason: string | null;
  readonly failingSinceMs: number | null;
};

export type StoredContractDelivery = {
  readonly status: string;
  readonly reason: string | null;
  /** Infinity while it is parked. */
  readonly nextAtMs: number | null;
  readonly isLeased: boolean;
  readonly attemptCount: number;
  readonly unchargedCount: number;
};

export type StoredContractAttempt = { readonly attempt: number; readonly outcome: string };

export type DeliveryHarness = {
  readonly store: DeliveryStore;
  readonly addEndpoint: (endpoint: NewContractEndpoint) => Promise<EndpointKey>;
  /** An event with a delivery to the endpoint, which need not exist. */
  readonly addDelivery: (endpoint: EndpointKey, eventId: string, dueAtMs: number, goesFirst?: boolean) => Promise<void>;
  readonly enable: (endpoint: EndpointKey, nowMs: number) => Promise<number | undefined>;
  readonly disable: (endpoint: EndpointKey, nowMs: number) => Promise<void>;
  readonly remove: (endpoint: EndpointKey, nowMs: number) => Promise<void>;
  readonly readEndpoint: (endpoint: EndpointKey) => Promise<StoredContractEndpoint | undefined>;
  readonly readDelivery: (endpoint: EndpointKey, eventId: string) => Promise<StoredContractDelivery | undefined>;
  readonly readAttempts: (endpoint: EndpointKey, eventId: string) => Promise<readonly StoredContractAttempt[]>;
};
